"""`python -m gradtape` where Gradtape is installed; in a checkout that is `gradtape.py`."""

import sys

from gradtape import main

sys.exit(main())
