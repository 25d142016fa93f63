"""`python -m rolememory` is the command `rolememory`."""

from rolememory.cli.app import main

if __name__ == "__main__":
    main()
