import { signInFromAddress } from './sign-in.ts';

/* Nothing is live yet: the page is complete without scripts. */
document.documentElement.dataset['script'] = 'loaded';
signInFromAddress();
