"""Modules of the standard library of which a program gets a list of names, each as it is."""

from __future__ import annotations

from importlib import import_module

from ..policy.errors import MissingAttribute
from ..policy.guards import Guards
from .facade import Facade, Missing, picked

NAMES = {
    "__future__": "annotations division generator_stop print_function absolute_import unicode_literals with_statement",
    "base64": (
        "a85decode a85encode b16decode b16encode b32decode b32encode b64decode b64encode b85decode b85encode "
        "standard_b64decode standard_b64encode urlsafe_b64decode urlsafe_b64encode"
    ),
    "binascii": "a2b_base64 a2b_hex b2a_base64 b2a_hex crc32 hexlify unhexlify",
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "cmath": (
        "acos acosh asin asinh atan atanh cos cosh e exp inf infj isclose isfinite isinf isnan log log10 nan nanj phase "
        "pi polar rect sin sinh sqrt tan tanh tau"
    ),
    "collections.abc": (
        "Callable Collection Container Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView "
        "MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized ValuesView"
    ),
    "colorsys": "hls_to_rgb hsv_to_rgb rgb_to_hls rgb_to_hsv rgb_to_yiq yiq_to_rgb",
    "datetime": "MAXYEAR MINYEAR UTC date datetime time timedelta timezone",
    "decimal": (
        "Decimal DivisionByZero InvalidOperation ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN "
        "ROUND_HALF_UP ROUND_UP getcontext localcontext"
    ),
    "difflib": "SequenceMatcher get_close_matches ndiff unified_diff",
    "errno": "EACCES EEXIST EINVAL EISDIR ENOENT ENOTDIR ENOTEMPTY EPERM EPIPE",
    "fnmatch": "filter fnmatch fnmatchcase translate",
    "fractions": "Fraction",
    "getopt": "GetoptError error getopt gnu_getopt",
    "graphlib": "CycleError TopologicalSorter",
    "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
    "html": "escape unescape",
    "itertools": (
        "accumulate batched chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse "
        "groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest"
    ),
    "keyword": "iskeyword issoftkeyword kwlist softkwlist",
    "math": (
        "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp exp2 expm1 "
        "fabs factorial floor fma fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma "
        "log log10 log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt sumprod tan tanh tau "
        "trunc ulp"
    ),
    "numbers": "Complex Integral Number Rational Real",
    "pprint": "pformat pp pprint",
    "random": (
        "Random betavariate binomialvariate choice choices expovariate gammavariate gauss getrandbits getstate "
        "lognormvariate normalvariate paretovariate randbytes randint random randrange sample seed setstate shuffle "
        "triangular uniform vonmisesvariate weibullvariate"
    ),
    "re": (
        "A ASCII DOTALL I IGNORECASE M MULTILINE Match Pattern S VERBOSE X compile error escape findall finditer "
        "fullmatch match search split sub subn"
    ),
    "secrets": "choice compare_digest randbelow randbits token_bytes token_hex token_urlsafe",
    "shlex": "join quote split",
    "statistics": (
        "NormalDist StatisticsError correlation covariance fmean geometric_mean harmonic_mean linear_regression mean "
        "median median_high median_low mode multimode pstdev pvariance quantiles stdev variance"
    ),
    "string": (
        "Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits printable punctuation "
        "whitespace"
    ),
    "textwrap": "dedent fill indent shorten wrap",
    "time": (
        "asctime ctime gmtime localtime mktime monotonic monotonic_ns perf_counter perf_counter_ns process_time "
        "process_time_ns sleep strftime strptime time time_ns"
    ),
    "unicodedata": (
        "bidirectional category combining decimal decomposition digit east_asian_width is_normalized lookup mirrored name "
        "normalize numeric unidata_version"
    ),
    "warnings": "catch_warnings filterwarnings resetwarnings simplefilter warn",
    "weakref": "ReferenceType WeakKeyDictionary WeakSet WeakValueDictionary ref",
    "zlib": "adler32 compress crc32 decompress error",
}
"""Module → its names."""

BASES = ("collections.abc", "fractions", "numbers", "random", "string")
"""Modules, from whose types a program's classes may inherit."""


def facades(guards: Guards) -> dict[str, Facade]:
    """The modules by name."""
    modules = {}
    for name, names in NAMES.items():
        public = picked(import_module(name), names)
        guards.know(public.values(), bases=name in BASES)
        modules[name] = Facade(name, public, missing(name))
    return modules


def missing(module: str) -> Missing:
    """What makes the error for a name that a module does not have here."""

    def error(name: str) -> AttributeError:
        said = f"module '{module}' has no attribute '{name}'"
        if not hasattr(import_module(module), name):
            return AttributeError(said)
        return MissingAttribute(f"{said} for programs here", "What reaches beyond the program is left out.")

    return error
