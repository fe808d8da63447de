"""The colours of matplotlib's colormaps, for programs that ask a colormap for colours.

Of the smooth ones 33 colours are kept, between which colours are interpolated; the listed ones are whole. They are those of
matplotlib (`matplotlib.colormaps`): viridis, plasma, inferno and magma are in the public domain (CC0); those with the names of
ColorBrewer's include color specifications and designs developed by Cynthia Brewer (http://colorbrewer.org/).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

SMOOTH = {
    "viridis": (
        "440154470d6048186a482374472d7b4537814240863e49893b528b375b8d33638d2f6b8e2c728e297a8e26828e23898e21918c1f988b"
        "1fa08822a78528ae8032b67a3fbc734ec36b5ec96270cf5784d44b98d83eaddc30c2df23d8e219ece51bfde725"
    ),
    "plasma": (
        "0d08872206903105973f049c4c02a15901a56600a77201a87e03a88a09a59511a1a01a9caa2395b32c8ebc3587c43e7fcc4778d35171"
        "da5a6ae06363e66c5ceb7655f0804ef58b47f89540fba139fdac33feb82cfdc527fcd225f8df25f4ed27f0f921"
    ),
    "inferno": (
        "0000040403120b0724150b37210c4a2f0a5b3d09654a0c6b57106e64156e71196e7d1e6d8a226a972766a32c61b0315bbc3754c73e4c"
        "d24644db503be45a31eb6628f1731df68013f98e09fb9d07fcac11fbbc21f9cb35f5db4cf2ea69f3f68afcffa4"
    ),
    "magma": (
        "0000040303120a0822130d341d114729115a36106b440f7651127c5d177f6a1c81762181832681902a819c2e7faa337db73779c43c75"
        "d0416fdc4869e75263ef5d5ef56b5cf9795dfc8961fd9869fea772feb67cfec488fed395fde2a3fcf0b2fcfdbf"
    ),
    "cividis": (
        "00224e00285b002e6a0533711a386f273e6e32436d3b496c434e6c4b546c535a6d5a5f6e61656f686a716f70737676767d7c78848279"
        "8c8878938e789b9476a39a74aba072b4a76fbcae6cc4b468cdbb63d5c25edec958e7d150f0d846f9e03afee838"
    ),
    "gray": (
        "000000080808101010181818202020282828303030383838404040484848505050585858606060686868707070787878808080888888"
        "909090989898a0a0a0a8a8a8b0b0b0b8b8b8c0c0c0c8c8c8d0d0d0d8d8d8e0e0e0e8e8e8f0f0f0f8f8f8ffffff"
    ),
    "bone": (
        "00000007070a0e0e1315151d1c1c272323312a2a3a31314438384e3f3f584646614d4d6b5455745b5f7b626882697289707b90778597"
        "7e8f9e8598a58ca2ac93acb39ab5baa1bfc1a9c8c8b4cfcfbfd6d6caddddd5e4e4e0ebebeaf2f2f5f9f9ffffff"
    ),
    "hot": (
        "0b00002000003500004a00005f00007400008900009e0000b30000c80000dd0000f20000ff0800ff1d00ff3200ff4700ff5c00ff7100"
        "ff8600ff9b00ffb000ffc500ffda00ffef00ffff07ffff26ffff46ffff65ffff85ffffa4ffffc4ffffe3ffffff"
    ),
    "cool": (
        "00ffff08f7ff10efff18e7ff20dfff28d7ff30cfff38c7ff40bfff48b7ff50afff58a7ff609fff6897ff708fff7887ff807fff8877ff"
        "906fff9867ffa05fffa857ffb04fffb847ffc03fffc837ffd02fffd827ffe01fffe817fff00ffff807ffff00ff"
    ),
    "copper": (
        "0000000a0604140c081e130c281910311f143b2518452c1c4f3220593824633e286d452c774b308051348a5738945e3c9e6440a86a44"
        "b27048bc774cc67d50d08354d98958e3905ced9660f79c64ffa267ffa96bffaf6fffb573ffbb77ffc27bffc77f"
    ),
    "jet": (
        "0000800000a40000c80000ed0000ff0020ff0040ff0060ff0080ff00a0ff00c0ff00e0fb16ffe130ffc749ffad63ff947dff7a97ff60"
        "b1ff46caff2ce4ff13feed00ffd000ffb200ff9400ff7700ff5900ff3b00ff1e00e80000c400009f0000800000"
    ),
    "hsv": (
        "ff0000ff2f00ff5f00ff8e00ffbd00ffec00e2ff00b3ff0084ff0055ff0025ff0002ff0c00ff3900ff6800ff9700ffc700fff600d9ff"
        "00aaff007aff004bff001cff1300ff4300ff7200ffa100ffd000fffa00f9ff00cfff00a0ff0071ff0041ff0018"
    ),
    "rainbow": (
        "8000ff7019ff6032fe504afc4062fa3079f7208ef410a2f000b5eb10c6e620d5e130e1da40ecd450f4cc60fac570febc80ffb490feab"
        "a0faa1b0f397c0eb8dd0e082e0d377f0c46cffb360ffa055ff8c49ff763dff5f30ff4724ff2f18ff160bff0000"
    ),
    "turbo": (
        "30123b392a734040a24456c7466be34680f64294ff37a8fa28bceb1ccdd818ddc21fe9af32f2984ef97d6dfe628bff4ba4fc3cb9f635"
        "cdec34dfdf37eecf3af8be39fdac34fe962bfb7e21f46617eb500edf3f08d02f05be2102a91601920b017a0403"
    ),
    "twilight": (
        "e2d9e2d7d7ddc4ced4acc2cc95b5c781a6c37297c16887be6276ba5f64b55e51ad5d3da1592a8f511b7745135c3811452f14363a113a"
        "4a13425f174a741e4f872750983550a64550b25652bb6958c27c63c89073cca389d1b6a3d8c7bedfd4d6e2d9e2"
    ),
    "spring": (
        "ff00ffff08f7ff10efff18e7ff20dfff28d7ff30cfff38c7ff40bfff48b7ff50afff58a7ff609fff6897ff708fff7887ff807fff8877"
        "ff906fff9867ffa05fffa857ffb04fffb847ffc03fffc837ffd02fffd827ffe01fffe817fff00ffff807ffff00"
    ),
    "summer": (
        "008066088466108866188c66209066289366309866389c6640a06648a36650a86658ac6660b06668b36670b86678bc6680c06688c366"
        "90c86698cc66a0d066a8d366b0d866b8dc66c0e066c8e366d0e866d8ec66e0f066e8f366f0f866f8fc66ffff66"
    ),
    "autumn": (
        "ff0000ff0800ff1000ff1800ff2000ff2800ff3000ff3800ff4000ff4800ff5000ff5800ff6000ff6800ff7000ff7800ff8000ff8800"
        "ff9000ff9800ffa000ffa800ffb000ffb800ffc000ffc800ffd000ffd800ffe000ffe800fff000fff800ffff00"
    ),
    "winter": (
        "0000ff0008fb0010f70018f30020ef0028eb0030e70038e30040df0048db0050d70058d30060cf0068cb0070c70078c30080bf0088bb"
        "0090b70098b300a0af00a8ab00b0a700b8a300c09f00c89b00d09700d89300e08f00e88b00f08700f88300ff80"
    ),
    "coolwarm": (
        "3b4cc0445acc4e68d85875e16282ea6c8ff1779af782a6fb8db0fe98b9ffa3c2feaec9fcb9d0f9c3d5f4ccd9edd5dbe5dddcdce5d8d1"
        "ecd3c5f1ccb8f5c4acf7ba9ff7b093f6a586f4987af08b6eeb7d62e46e56dd5f4bd44e41ca3b37be242eb40426"
    ),
    "bwr": (
        "0000ff1010ff2020ff3030ff4040ff5050ff6060ff7070ff8080ff9090ffa0a0ffb0b0ffc0c0ffd0d0ffe0e0fff0f0fffffefeffeeee"
        "ffdedeffceceffbebeffaeaeff9e9eff8e8eff7e7eff6e6eff5e5eff4e4eff3e3eff2e2eff1e1eff0e0eff0000"
    ),
    "seismic": (
        "00004c0000630000790000900000a60000bc0000d30000e90101ff2121ff4141ff6161ff8181ffa1a1ffc1c1ffe1e1fffffdfdffdddd"
        "ffbdbdff9d9dff7d7dff5d5dff3d3dff1d1dfe0000ee0000de0000ce0000be0000ae00009e00008e0000800000"
    ),
    "RdBu": (
        "67001f7f0823960f27ae172abb2a34c6413ed25849dc6e57e58368ef9979f5ac8bf8bda1fbceb7fdddcbfbe6daf9efe9f6f7f7eaf1f5"
        "deebf2d2e6f0c0dcebacd2e598c8e081bad868abd04f9bc73e8cbf337eb82870b11e61a515508d0d3f76053061"
    ),
    "RdYlBu": (
        "a50026b50f26c41e27d42d27de402ee75337f16640f67a49f98e52fba35cfdb567fdc576fed485fee294feeca2fff6b1feffc0f5fbd2"
        "ebf7e4e1f3f6d1ecf4c1e4efb0dcea9fd0e48ec2dc7db4d56da4cc5e93c34f81ba436fb13d5ba736479e313695"
    ),
    "RdYlGn": (
        "a50026b50f26c41e27d42d27de402ee75337f16640f67a49f98e52fba35cfdb567fdc574fed481fee28ffeec9ffff6b0feffbef2faae"
        "e6f59ddaf08dcbe982bbe278abdb6d98d36884ca6670c1645ab76042ac5a2aa05417934e0f844607753e006837"
    ),
    "PiYG": (
        "8e01529f095fb1116dc2197acb3289d34f99db6ca8e283b7e897c4eeabd2f3bcddf6c9e3fad6eafde2f0fbe9f2f9f0f5f7f7f6f1f6ea"
        "ecf6dee7f5d2d9f0bccbe9a4bde38dacd9779acd6188c24c77b53c67a832589b28498d203d7f1e31711b276419"
    ),
    "PRGn": (
        "40004b510d5d621a6e7328807f3c8d8a529a9568a6a17ab2ae8bbdbb9cc9c7abd2d3badadec9e2e8d7e9ede2eef2edf3f6f7f6edf5eb"
        "e4f2e0daf0d4cbeac5bbe4b5abdda596d1927ec37f66b56b50a65a3c954d29844018733410632b07522300441b"
    ),
    "Spectral": (
        "9e0142af1446c1274ad23a4edd4a4ce75948f06744f67a49f98e52fba35cfdb567fdc574fed481fee28ffeec9ffff6b0ffffbef7fcb2"
        "eff9a6e7f59ad6ee9bc3e79fb1dfa39cd7a486cfa571c6a55eb9a94ea7b03d95b83682ba4471b2525fa95e4fa2"
    ),
    "Blues": (
        "f7fbfff1f7fdeaf3fbe4eff9deebf7d8e7f5d2e3f3ccdff1c6dbefbcd7ebb2d2e8a8cee49dcae191c3de84bcdb77b5d96aaed660a7d2"
        "56a0ce4b98ca4191c63989c13181bd2979b92070b41a68ae1460a80e58a208509b08488e08408208377608306b"
    ),
    "Greens": (
        "f7fcf5f2faf0eef8eae9f7e5e5f5e0ddf2d8d6efd0ceecc8c7e9c0bde5b6b4e1adaadda4a0d99b95d3918ace887fc97f73c47666bd6f"
        "5ab7694db16340aa5d39a257319a502a924a228a4419833e117b38087432006c2c006227005723004d1f00441b"
    ),
    "Greys": (
        "fffffffbfbfbf7f7f7f4f4f4f0f0f0eaeaeae4e4e4dfdfdfd9d9d9d2d2d2cbcbcbc4c4c4bdbdbdb3b3b3a9a9a99f9f9f9595958d8d8d"
        "8484847b7b7b7272726a6a6a6262625a5a5a5151514646463a3a3a2f2f2f2424241b1b1b111111080808000000"
    ),
    "Oranges": (
        "fff5ebfff1e4feeddcfeead5fee6cefee0c3fddbb8fdd5adfdd0a2fdc794fdbf86fdb678fdae6afda55ffd9d53fd9547fd8c3bfa8331"
        "f77a27f4711cf16813eb600ee4580ade5005d84801cb4302be3f02b13a03a536039b3203912e04882a047f2704"
    ),
    "Purples": (
        "fcfbfdf9f7fbf5f4f9f2f0f7efedf5eae8f2e4e3f0dfdfeddadaebd2d2e7cbcbe3c3c4e0bcbddcb4b4d7adabd2a5a2cd9e9ac89692c4"
        "8e8bc18784bd807cba7a71b47566ae6f5ba86950a364459e5e3b9859309353268f4e1c8a4912854409813f007d"
    ),
    "Reds": (
        "fff5f0fff0e8feeae1fee5d9fee0d2fdd7c6fdcdb9fcc4adfcbba1fcb095fca689fc9c7dfc9272fc8767fb7d5dfb7353fb694af85d42"
        "f5523af24633ee3a2ce53228dc2924d32020ca181dc1161bb71319ad1117a30f15940b1384071175030f67000d"
    ),
    "YlGn": (
        "ffffe5fdfedafbfdcff9fdc4f7fcb9eff9b3e8f6aee0f3a8d9f0a3ceeb9ec3e698b8e293acdd8e9fd78892d18384cb7e77c67969bf72"
        "5cb86b4eb16340aa5c39a05631974f2a8d49228343197c4011753d086e3a006737005e33005530004d2c004529"
    ),
    "YlGnBu": (
        "ffffd9fafdcff6fbc5f1fabbedf8b1e3f4b2daf0b3d0edb3c6e9b4b4e2b6a2dbb890d4b97ecdbb6fc7bd5fc1c050bbc240b5c437acc3"
        "2ea3c2259ac11d90c01e83ba2076b3216aad225da82352a324489d243d982433921d2e831628740e2265081d58"
    ),
    "YlOrRd": (
        "ffffccfffac1fff6b6fff1abffeda0ffe895fee38bfede80fed976fecf6bfec561febb56feb24cfea848fd9f44fd9640fd8c3cfd7c37"
        "fc6c33fc5d2efc4d2af54026ef3323e9261fe2191cd9131fcf0c21c50624bb0026ac00269d00268d0026800026"
    ),
    "GnBu": (
        "f7fcf0f1faebebf7e5e6f5e0e0f3dbdbf1d5d6efd0d1edcaccebc5c3e7c1bae4bdb1e0b9a7ddb59cd9b991d4bd86d0c07accc46fc5c8"
        "64bfcc58b9d04db2d345a8cd3c9fc83395c32a8bbe2182b91979b51070b00867ab085da008539508498a084081"
    ),
    "BuPu": (
        "f7fcfdf1f8fbebf4f8e6f0f6e0ecf4d8e6f0cfdfedc7d9e9bfd3e6b6cde3aec7e0a6c2dd9ebcda99b2d595a8d0909fcb8c95c68c8bc0"
        "8c80bb8c75b68c6ab18b60ac8a55a7894ba288409c86339484278c831a83800f7b730b6e6507625803564d004b"
    ),
    "PuBu": (
        "fff7fbfaf3f9f5eff6f1ebf4ece7f2e5e1efdedcecd7d6e9d0d1e6c5cce3bbc7e0b0c2dea5bddb99b8d88cb3d580aed273a9cf63a2cb"
        "549cc74496c3358fc02987bc1c7fb81077b4056faf056aa604649e045f9504598c03517e034871023f64023858"
    ),
    "OrRd": (
        "fff7ecfff3e3feefdafeecd1fee8c8fee3bdfddeb3fdd9a8fdd49efdce97fdc791fdc18afdba83fdaf79fca36efc9863fc8c59f98254"
        "f57850f26e4cef6447e9573de24933dc3c28d62f1ecd2316c4170fbb0b07b20000a500009700008a00007f0000"
    ),
}
LISTED = {
    "tab10": "1f77b4ff7f0e2ca02cd627289467bd8c564be377c27f7f7fbcbd2217becf",
    "tab20": (
        "1f77b4aec7e8ff7f0effbb782ca02c98df8ad62728ff98969467bdc5b0d58c564bc49c94e377c2f7b6d27f7f7fc7c7c7bcbd22dbdb8d"
        "17becf9edae5"
    ),
    "Set1": "e41a1c377eb84daf4a984ea3ff7f00ffff33a65628f781bf999999",
    "Set2": "66c2a5fc8d628da0cbe78ac3a6d854ffd92fe5c494b3b3b3",
    "Set3": "8dd3c7ffffb3bebadafb807280b1d3fdb462b3de69fccde5d9d9d9bc80bdccebc5ffed6f",
    "Pastel1": "fbb4aeb3cde3ccebc5decbe4fed9a6ffffcce5d8bdfddaecf2f2f2",
    "Accent": "7fc97fbeaed4fdc086ffff99386cb0f0027fbf5b17666666",
    "Dark2": "1b9e77d95f027570b3e7298a66a61ee6ab02a6761d666666",
    "Paired": "a6cee31f78b4b2df8a33a02cfb9a99e31a1cfdbf6fff7f00cab2d66a3d9affff99b15928",
}

CYCLE = tuple(f"#{LISTED['tab10'][start : start + 6]}" for start in range(0, 60, 6))
"""The colours that lines take in turn: C0, C1, …"""
Colour = tuple[float, float, float, float]


def names() -> list[str]:
    """The colormaps that there are, without those that are reversed (`_r`)."""
    return sorted({**SMOOTH, **LISTED})


def table(name: str) -> list[tuple[float, float, float]]:
    """The colours that are kept of a colormap. KeyError for an unknown one."""
    key = name.removesuffix("_r")
    text = SMOOTH[key] if key in SMOOTH else LISTED[key]
    found = [_rgb(text[start : start + 6]) for start in range(0, len(text), 6)]
    return found[::-1] if name != key else found


def is_listed(name: str) -> bool:
    """Whether a colormap is a list of colours and has nothing between them."""
    return name.removesuffix("_r") in LISTED


def colour(colours: Sequence[tuple[float, float, float]], listed: bool, position: float) -> Colour:
    """The colour at a position from 0 to 1."""
    if math.isnan(position):
        return 0.0, 0.0, 0.0, 0.0
    position = min(max(position, 0.0), 1.0)
    last = len(colours) - 1
    if listed or not last:
        return (*colours[min(int(position * len(colours)), last)], 1.0)
    below = min(int(position * last), last - 1)
    share = position * last - below
    r, g, b = (low + share * (high - low) for low, high in zip(colours[below], colours[below + 1], strict=True))
    return r, g, b, 1.0


def _rgb(text: str) -> tuple[float, float, float]:
    return int(text[:2], 16) / 255, int(text[2:4], 16) / 255, int(text[4:], 16) / 255
