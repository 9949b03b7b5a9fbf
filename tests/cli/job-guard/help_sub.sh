job-guard check --help
job-guard explain --help
