job-guard --help
