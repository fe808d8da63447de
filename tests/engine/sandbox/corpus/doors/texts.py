"""Texts: what is shown, formatted, matched, written or raised, and runs a program's methods meanwhile."""
#: ends: ok, policy, too_large, error and its type, or any where that depends on the machine
#: prints*: what it prints, a line each

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% a list emptied while it is shown
#: ends: ok
#: prints: [e]
class E:
    def __repr__(self):
        items.clear()
        return 'e'
items = [E(), E(), E()]
print(items)

# %% a dict emptied while it is shown
#: ends: ok
#: prints: {1: e}
class E:
    def __repr__(self):
        d.clear()
        return 'e'
d = {1: E(), 2: E()}
try:
    print(d)
except RuntimeError as e:
    print(e)

# %% a set, a deque and a tuple emptied while they are shown
#: ends: ok
#: prints: {e}
#: prints: deque([e, e])
import collections
class E:
    def __hash__(self): return 1
    def __repr__(self):
        d.clear()
        return 'e'
d = {E()}
print(d)
d = collections.deque([E(), E()])
try:
    print(d)
except RuntimeError as e:
    print(e)

# %% nested lists emptied while they are shown
#: ends: ok
#: prints: [[e, e]]
class E:
    def __repr__(self):
        outer.clear()
        return 'e'
outer = [[E(), E()], [E()], {1: E()}, (E(), E())]
print(outer)

# %% a text that shows itself without end
#: ends: error RecursionError
class E:
    def __repr__(self): return f'{self!r}'
print(E())

# %% a text method that gives no text
#: ends: error TypeError
class E:
    def __str__(self): return 5
str(E())

# %% a format that empties its arguments
#: ends: ok
#: prints: xxxxx x
class A:
    def __format__(self, spec):
        items.clear()
        return 'x'
items = [A() for _ in range(5)]
print('{}{}{}{}{}'.format(*items), f'{A():{A()}}')

# %% a mapping for a template that gives what it likes
#: ends: ok
#: prints: a b a b
class D(dict):
    def __missing__(self, key):
        self.clear()
        return key
print('%(a)s %(b)s' % D(x=1), '{a} {b}'.format_map(D()))

# %% a width beyond all bounds
#: ends: error ValueError
'%*d' % (2 ** 31 - 1, 1) if False else f'{1:{10 ** 30}}'

# %% a join over what changes itself
#: ends: error TypeError
class S(str): pass
def parts():
    yield 'a'
    items.clear()
    yield 5
items = [1]
', '.join(parts())

# %% a translation that gives no character
#: ends: error ValueError
class D:
    def __getitem__(self, k): return 0x110000
'abc'.translate(D())

# %% an integer too long to be written out
#: ends: error ValueError
str(10 ** 5000)

# %% a replacement that empties the text it is for
#: ends: error BufferError
import re
b = bytearray(b'ab' * 100)
re.sub(b'a', lambda m: b.clear() or b'x', b)

# %% a match that is looked at when its text has changed
#: ends: ok
#: prints: b''
import re
b = bytearray(b'xbxb')
m = re.search(b'b(x)', b)
del b[:]
try:
    print(m.group())
except IndexError as e:
    print(e)

# %% a replacement by what is no text
#: ends: error TypeError
import re
re.sub('a', lambda m: 5, 'aaa')

# %% a pattern with huge repeats
#: ends: error OverflowError
import re
re.compile('a{4294967295}')

# %% a pattern changed by its own flags
#: ends: error ValueError
import re
re.compile(re.compile('a'), re.I)

# %% json of what changes itself
#: ends: ok
#: prints: [1]
import json
class O: pass
def default(o):
    items.clear()
    return 1
items = [O(), [O()], {'a': O()}]
print(json.dumps(items, default=default))

# %% json of a dict that changes itself
#: ends: error RuntimeError
import json
class O: pass
def default(o):
    d.clear()
    return 1
d = {'a': O(), 'b': [O()]}
print(json.dumps(d, default=default))

# %% json without end
#: ends: error RecursionError
import json
class O: pass
json.dumps(O(), default=lambda o: [o, O()], check_circular=False)

# %% json hooks that keep and change what they get
#: ends: ok
#: prints: []
import json
kept = []
def hook(pairs):
    kept.append(pairs)
    pairs.clear()
    return kept[0]
print(json.loads('{"a": {"b": 1}, "c": 2}', object_pairs_hook=hook))

# %% json numbers made by a function that raises
#: ends: error KeyError
import json
def f(text): raise KeyError(text)
json.loads('[1, 2]', parse_int=f)

# %% pprint of what changes itself
#: ends: ok
#: prints: False
import pprint
class E:
    def __repr__(self):
        items.clear()
        return 'e' * 100
items = [E(), E(), E()]
print(len(pprint.pformat(items)) > 100)

# %% print to what changes its arguments
#: ends: ok
#: prints: []
class F:
    def write(self, text): items.clear()
    def flush(self): items.clear()
items = [1, 2, 3]
print(*items, file=F(), flush=True)
print(items)

# %% a separator and an end that are no texts
#: ends: error TypeError
print(1, 2, sep=5)

# %% a stream closed while it is written
#: ends: error ValueError
import io
class S:
    def __str__(self):
        b.close()
        return 'x'
b = io.StringIO()
print(S(), file=b)

# %% a stream closed by its own size
#: ends: error ValueError
import io
class I:
    def __index__(self):
        b.close()
        return 5
b = io.BytesIO(b'x' * 100)
b.seek(0)
b.read(I())
b.read(1)

# %% a stream that grows beyond all bounds
#: ends: any
import io
b = io.BytesIO()
b.seek(2 ** 62)
b.write(b'x')

# %% an error with positions before its text
#: ends: error ValueError
UnicodeDecodeError('x', b'abc', -1000, -999, 'no')

# %% an error with positions behind its text
#: ends: error ValueError
UnicodeEncodeError('x', 'abc', 1000, 1001, 'no')

# %% an error with positions that lie
#: ends: error ValueError
class I(int):
    def __index__(self): return -5000
    def __lt__(self, other): return False
    def __le__(self, other): return True
    def __ge__(self, other): return True
print(UnicodeTranslateError('abc', I(-5000), I(-4999), 'no'))

# %% an error of bytes that lie about their length
#: ends: error ValueError
class B(bytes):
    def __len__(self): return 10 ** 9
UnicodeDecodeError('x', B(b'abc'), 5000, 5001, 'no')

# %% positions written to an error that was caught
#: ends: policy
try:
    b'\xff'.decode()
except UnicodeDecodeError as e:
    e.start = -5000
    print(e)

# %% an error with positions made once more
#: ends: policy
try:
    b'\xff'.decode()
except UnicodeDecodeError as e:
    e.__init__('x', b'abc', -5000, -4999, 'no')
    print(e)

# %% an error with positions made by way of its class
#: ends: error TypeError
try:
    b'\xff'.decode()
except UnicodeDecodeError as e:
    type(e).__init__(e, 'x', b'abc', -5000, -4999, 'no')
    print(e)

# %% an error with positions made by way of its base
#: ends: error TypeError
try:
    b'\xff'.decode()
except UnicodeError as e:
    UnicodeDecodeError.__init__(e, 'x', b'abc', -5000, -4999, 'no')
    print(e)

# %% an error with positions in a class of one's own
#: ends: policy
class E(UnicodeDecodeError):
    def __init__(self): super().__init__('x', b'abc', -5000, -4999, 'no')
print(E())

# %% the attributes of an error with positions
#: ends: policy
try:
    'é'.encode('ascii')
except UnicodeEncodeError as e:
    vars(e)['start'] = -5000

# %% an error with positions is caught, shown and made
#: ends: ok
#: prints: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte 0 1 b'\xff' True UnicodeDecodeError
#: prints: 'ascii' codec can't encode character '\xe9' in position 0: ordinal not in range(128)
#: prints: 'utf-8' codec can't decode byte 0x62 in position 1: invalid
try:
    b'\xff'.decode()
except (KeyError, UnicodeDecodeError) as e:
    print(e, e.start, e.end, e.object, isinstance(e, UnicodeDecodeError), type(e).__name__)
kinds = (UnicodeEncodeError, KeyError)
try:
    'é'.encode('ascii')
except kinds as e:
    print(e)
try:
    raise UnicodeDecodeError('utf-8', b'abc', 1, 2, 'invalid')
except ValueError as e:
    print(e)

# %% an escape that is decoded after an error
#: ends: error LookupError
b'\\xz\\y'.decode('unicode_escape', 'replace')

# %% a class of groups of one's own, that splits as it likes
#: ends: policy
class G(ExceptionGroup):
    def split(self, condition): return ()
try:
    raise G('x', [ValueError()])
except* ValueError:
    pass

# %% a group that splits as it likes
#: ends: policy
g = ExceptionGroup('x', [ValueError()])
g.split = lambda condition: ()
try:
    raise g
except* ValueError:
    pass

# %% a group is raised and caught in parts
#: ends: ok
#: prints: (ValueError(1),)
#: prints: (KeyError(2),)
try:
    raise ExceptionGroup('x', [ValueError(1), KeyError(2)])
except* ValueError as e:
    print(e.exceptions)
except* KeyError as e:
    print(e.exceptions)

# %% a group whose condition changes its errors
#: ends: ok
#: prints: (ExceptionGroup('x', [KeyError(2)]), ExceptionGroup('x', [ValueError(1)]))
errors = [ValueError(1), KeyError(2)]
def condition(e):
    errors.clear()
    return isinstance(e, KeyError)
print(ExceptionGroup('x', errors).split(condition))

# %% an error whose text raises
#: ends: error E
class E(ValueError):
    def __str__(self): raise KeyError
raise E

# %% an error that is its own cause
#: ends: error ValueError
e = ValueError('x')
e.__context__
try:
    raise e from e
except ValueError as f:
    raise f from f

# %% an error whose traceback is looked at
#: ends: policy
try:
    1 / 0
except ZeroDivisionError as e:
    print(e.__traceback__)

# %% an error's frames by way of a format
#: ends: policy
try:
    1 / 0
except ZeroDivisionError as e:
    print('{0.__traceback__.tb_frame}'.format(e))

# %% a warning whose text changes the filters
#: ends: ok
#: prints: over
import warnings
class W(UserWarning):
    def __str__(self):
        warnings.resetwarnings()
        warnings.simplefilter('ignore')
        return 'w'
warnings.simplefilter('always')
warnings.warn(W())
warnings.warn('again')
print('over')

# %% a warning that is raised while it is shown
#: ends: error W
import warnings
class W(UserWarning):
    def __str__(self):
        raise self
warnings.simplefilter('error')
warnings.warn(W('x'))

# %% a log line whose format looks around
#: ends: error KeyError
#: prints:   [] here
import logging
logging.basicConfig(format='%(process)s %(thread)s [%(pathname)s] %(message)s', level='INFO')
logging.info('here')
raise KeyError

# %% a log argument that logs without end
#: ends: error RecursionError
import logging
class A:
    def __str__(self):
        logging.warning('%s', self)
        return 'a'
logging.warning('%s', A())

# %% a decimal whose context changes meanwhile
#: ends: ok
#: prints: 0.5
import decimal
class D:
    def __float__(self):
        decimal.localcontext().__enter__()
        return 1.5
print(decimal.Decimal(float(D())) / 3)

# %% a random choice from what lies about its length
#: ends: error IndexError
import random
class L:
    def __len__(self): return 100
    def __getitem__(self, k): return [1][k + 1]
random.choice(L())

# %% a shuffle of what empties itself
#: ends: error IndexError
import random
class L(list):
    def __getitem__(self, k):
        self.clear()
        return list.__getitem__(self, k)
random.shuffle(L(range(10)))

# %% a type with parameters that goes while it is shown
#: ends: ok
#: prints: [list[x, x, x]]
class E:
    def __repr__(self):
        out.clear()
        return 'x'
out = [list[E(), E(), E()]]
print(repr(out))

# %% a slice that goes while it is shown
#: ends: ok
#: prints: [slice(x, x, x)]
class E:
    def __repr__(self):
        out.clear()
        return 'x'
out = [slice(E(), E(), E())]
print(repr(out))

# %% a count that goes while it is shown
#: ends: ok
#: prints: [count(x, x)]
import itertools
class E:
    def __repr__(self):
        out.clear()
        return 'x'
    def __add__(self, o): return self
    def __index__(self): return 1
    def __int__(self): return 1
    def __float__(self): return 1.0
    def __neg__(self): return self
    def __sub__(self, o): return self
class F(float):
    def __repr__(self):
        out.clear()
        return 'x'
out = [itertools.count(F(1), F(2))]
print(repr(out))

# %% a union of types with parameters that goes while it is shown
#: ends: ok
#: prints: [list[x, x, x] | int]
class E:
    def __repr__(self):
        out.clear()
        return 'x'
out = [list[E(), E(), E()] | int]
print(repr(out))

# %% a type whose list of parameters is emptied while it is shown
#: ends: ok
#: prints: list[[x, x, x, x, x, x, x, x, x]]
class E:
    def __repr__(self):
        out.clear()
        return 'x'
out = [E() for _ in range(9)]
print(repr(list[out]))

# %% a bytearray emptied by what is filled into it
#: ends: ok
#: prints: 10000
class S:
    def __repr__(self):
        b.clear()
        return 'x'
b = bytearray(b'%r' * 10000)
print(len(b % tuple(S() for _ in range(10000))))
