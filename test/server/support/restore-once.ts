/* Restores the backup in the folder of its first argument to the path of its second one. */
import { restore } from '../../../src/server/backup/restore.ts';

const [folder = '', path = ''] = process.argv.slice(2);
restore(folder, path, { replaces: true, now: 1 });
