#!/usr/bin/env perl
# SPDX-License-Identifier: BSD-3-Clause
# Real text for examples and tests, as JSON Lines on stdout: {"id", "source", "text"}.
#
#   make_corpus.pl [--with-python-docs] [--max-bytes N]
#
# The Perl documentation (Debian and Ubuntu package perl-doc, Artistic-1.0 or GPL-1.0+) is about 9 MB;
# with the Python documentation (package python3.11-doc, PSF licence) it is about 21 MB. Each section
# of a page is a document. Its repeated licence and boiler-plate sections are the natural duplicates.
# The order is fixed, so the same packages give the same bytes.
use strict;
use warnings;
use File::Find;
use Getopt::Long;
use JSON::PP;

my ($with_python, $max_bytes) = (0, 0);
my $usage = "Usage: make_corpus.pl [--with-python-docs] [--max-bytes N]\n";
my $help = 0;
$SIG{__DIE__} = sub { print STDERR $_[0]; exit 3 };
if (!GetOptions('with-python-docs' => \$with_python, 'max-bytes=i' => \$max_bytes, 'help|h' => \$help)
    || @ARGV || $max_bytes < 0) {
    print STDERR $usage;
    exit 2;
}
if ($help) {
    print $usage;
    exit 0;
}

# All files below the folders whose name matches, in byte order.
sub files_below {
    my ($pattern, @folders) = @_;
    my @found;
    find({ wanted => sub { push @found, $File::Find::name if -f && /$pattern/ }, no_chdir => 1 },
        grep { -d } @folders);
    return sort @found;
}

sub read_file {
    my ($path) = @_;
    open my $file, '<:raw', $path or die "make_corpus.pl: error: cannot open $path: $!\n";
    local $/;
    my $text = <$file>;
    # Old pages are Latin-1; valid UTF-8 stays as it is.
    my $decoded = $text;
    utf8::decode($decoded) or utf8::upgrade($decoded);
    return $decoded;
}

# Sections of a pod page: from one =head1 to the next.
sub pod_sections { return split /^(?==head1 )/m, $_[0] }

# Sections of a reStructuredText page: a title underlined by = or *.
sub rst_sections { return split /^(?=[^\n]+\n[=*]{4,}\n)/m, $_[0] }

my @perl = files_below(qr/\.(pod|pm)$/, glob('/usr/share/perl/5.*'));
@perl = grep { read_file($_) =~ /^=head1 /m } @perl;
die "make_corpus.pl: error: no Perl documentation; install the package perl-doc\n"
    unless grep { m{/pod/perl} } @perl;
my @python = $with_python ? files_below(qr/\.rst\.txt$/, glob('/usr/share/doc/python3*/html/_sources')) : ();
die "make_corpus.pl: error: no Python documentation; install the package python3.11-doc\n"
    if $with_python && !@python;

my $json = JSON::PP->new->utf8->canonical;
my $written = 0;
my %seen_inode;
for my $path (@perl, @python) {
    my ($device, $inode) = stat $path;
    next if $seen_inode{"$device:$inode"}++;    # one file reached through two names
    my $text = read_file($path);
    my @sections = $path =~ /rst\.txt$/ ? rst_sections($text) : pod_sections($text);
    # In a module the code before the first =head1 is no documentation.
    shift @sections if $path =~ /\.pm$/;
    my $number = 0;
    for my $section (@sections) {
        $section =~ s/^=cut\b.*?(?=^=|\z)//msg;
        ++$number;
        next if $section !~ /\S/;
        my $line = $json->encode({ id => "$path#$number", source => $path, text => $section }) . "\n";
        exit 0 if $max_bytes && $written + length($line) > $max_bytes;
        $written += length $line;
        print $line or die "make_corpus.pl: error: cannot write: $!\n";
    }
}
close STDOUT or die "make_corpus.pl: error: cannot write: $!\n";
