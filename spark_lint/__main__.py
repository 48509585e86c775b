"""`python -m spark_lint`."""

from spark_lint.cli import main

main()
