#!/usr/bin/perl
# A module that does nothing: it records when it starts and when it is asked to stop, in the file that its argument names.
use Time::HiRes;

sub record {
    open my $file, '>>', $ARGV[0] or die;
    printf $file "%s %.3f %d\n", $_[0], Time::HiRes::time() * 1000, $$;
    close $file;
}
$SIG{TERM} = $SIG{INT} = sub { record('stop'); exit };
record('start');
sleep while 1;
