"""Programs that draw, as tutorials do, and print what they get; for test_programs.py."""

# %% loss curves with a twin axis
import matplotlib.pyplot as plt
losses = [1 / (k + 1) for k in range(20)]
accuracies = [1 - loss for loss in losses]
fig, ax1 = plt.subplots(figsize=(8, 5))
color = "tab:red"
l1 = ax1.plot(losses, color=color, label="loss")
ax1.set_xlabel("epoch", color=color, size=15)
ax1.set_ylabel("total loss", color=color)
ax1.tick_params(axis="y", color=color, labelcolor=color)
ax2 = ax1.twinx()
l2 = ax2.plot(range(20), accuracies, "b--", lw=2, alpha=0.8, label="accuracy")
lines = l1 + l2
ax1.legend(lines, [line.get_label() for line in lines], loc="center right")
ax1.grid(True, linestyle=":", alpha=0.5)
fig.tight_layout()
plt.savefig("curve.png", dpi=150, bbox_inches="tight")
print(len(lines), [line.get_label() for line in lines], fig.get_size_inches())
plt.show()
plt.close()

# %% subplots by number
import numpy as np
import matplotlib.pyplot as plt
from matplotlib import style
style.use("ggplot")
x = np.linspace(0, 2 * np.pi, 100)
plt.figure(figsize=(12, 4), dpi=80)
for k, f in enumerate((np.sin, np.cos, np.tan)):
    plt.subplot(1, 3, k + 1)
    plt.plot(x, f(x), "-o", markersize=3, label=f.__name__)
    plt.ylim(-2, 2)
    plt.xlim([0, 6])
    plt.title(f.__name__, fontsize=14, fontweight="bold")
    plt.xticks([0, np.pi, 2 * np.pi], ["0", r"$\pi$", r"$2\pi$"], rotation=45)
    plt.legend(loc="upper right")
plt.subplot(131)
print(plt.ylim(), plt.xlim(), len(plt.gcf().axes))
plt.suptitle("Functions", y=1.02)
plt.subplots_adjust(wspace=0.3)
plt.show()

# %% a grid of images
import numpy as np
import matplotlib.pyplot as plt
images = np.random.rand(12, 28, 28)
fig, axes = plt.subplots(3, 4, figsize=(8, 6), sharex=True, sharey=True)
print(axes.shape, axes.ravel().shape, axes.flatten()[3] is axes[0, 3], len(axes), axes.size, type(axes).__name__)
for k, ax in enumerate(axes.flat):
    ax.imshow(images[k], cmap=plt.cm.gray_r, interpolation="nearest", vmin=0, vmax=1)
    ax.axis("off")
    ax.set_title(f"Label: {k}")
for row in axes:
    for ax in row:
        ax.set(xticks=[], yticks=[])
        ax.get_xaxis().set_visible(False)
        ax.axes.get_yaxis().set_visible(ax.axes is not ax)
plt.tight_layout()
plt.show()
fig, ax = plt.subplots(1, 1, squeeze=False)
print(ax.shape)
fig, ax = plt.subplots(1, 3)
print(ax.shape)
fig, (a, b) = plt.subplots(2, 1, sharex=True)
a.imshow(np.random.rand(5, 5, 3))
b.imshow((np.random.rand(700, 900, 3) * 255).astype(np.uint8))
image = plt.imshow(np.eye(3), extent=[0, 1, 0, 1], origin="lower", aspect="auto")
print(image.get_array().shape)
plt.colorbar(image, ax=[a, b], shrink=0.6, label="value")

# %% histograms
import numpy as np
import matplotlib.pyplot as plt
data = np.random.default_rng(0).normal(size=1000)
n, bins, patches = plt.hist(data, bins=25, density=True, alpha=0.7, color="steelblue", edgecolor="black", label="data")
print(n.shape, bins.shape, len(patches), round(float((n * np.diff(bins)).sum()), 6))
print(n[:3].round(6).tolist(), bins[:3].round(6).tolist(), n.dtype, bins.dtype)
print(round(patches[3].get_height(), 6), round(patches[3].get_x(), 6), round(patches[3].get_width(), 6))
n, bins, patches = plt.hist([data, data + 1], bins=np.arange(-3, 4), label=["a", "b"], histtype="stepfilled")
print(n.shape, bins.tolist(), len(patches))
n, bins, _ = plt.hist(data, 10, (-1, 1), cumulative=True, log=True, orientation="horizontal", histtype="step")
print(n.tolist(), bins.round(6).tolist())
plt.axvline(data.mean(), color="k", linestyle="dashed", linewidth=1)
plt.axhline(y=0.5, c="r")
plt.legend()
plt.show()
counts, xs, ys, im = plt.hist2d(data, data**2, bins=20, cmap="Blues")
print(counts.shape, xs.shape, ys.shape, counts.sum())
plt.colorbar()

# %% a decision boundary
import numpy as np
import matplotlib.pyplot as plt
from matplotlib.colors import ListedColormap
xx, yy = np.meshgrid(np.linspace(-3, 3, 80), np.linspace(-3, 3, 80))
zz = np.tanh(xx * yy)
points = np.random.randn(60, 2)
kind = (points[:, 0] * points[:, 1] > 0).astype(int)
plt.contourf(xx, yy, zz, alpha=0.7, cmap=plt.cm.RdYlBu, levels=np.linspace(-1, 1, 11))
cs = plt.contour(xx, yy, zz, levels=[-0.5, 0, 0.5], colors="k", linestyles=["--", "-", "--"])
plt.clabel(cs, inline=True, fontsize=8)
sc = plt.scatter(points[:, 0], points[:, 1], c=kind, s=40, cmap=ListedColormap(["#FF0000", "#0000FF"]), edgecolors="k", lw=0.5)
plt.scatter(points[kind == 1, 0], points[kind == 1, 1], marker="x", s=100, label="one")
plt.axis("square")
plt.xlim([-3, 3]); plt.ylim([-3, 3])
plt.xlabel("$x_1$"); plt.ylabel(r"$\mathbf{x}_2$")
plt.colorbar(sc)
plt.title("Decision boundary")
plt.show()

# %% bars
import numpy as np
import matplotlib.pyplot as plt
names = ["cat", "dog", "bird"]
values = [3, 5, 2]
fig, ax = plt.subplots()
bars = ax.bar(names, values, color=["r", "g", "b"], width=0.5, yerr=[0.1, 0.2, 0.3], capsize=5)
for bar in bars:
    height = bar.get_height()
    ax.annotate(f"{height}", xy=(bar.get_x() + bar.get_width() / 2, height), xytext=(0, 3), textcoords="offset points",
                ha="center", va="bottom")
ax.bar_label(bars, fmt="%.1f", padding=8)
print(len(bars), [round(bar.get_x() + bar.get_width() / 2, 6) for bar in bars], bars[1].get_height())
x = np.arange(3)
fig, ax = plt.subplots()
first = ax.bar(x - 0.2, values, 0.4, label="first")
ax.bar(x + 0.2, values[::-1], 0.4, label="second", bottom=1, hatch="/")
ax.set_xticks(x)
ax.set_xticklabels(names, rotation=30, ha="right")
ax.legend(handles=[first], labels=["only"], ncol=2, frameon=False, fontsize="small", bbox_to_anchor=(1.0, 1.0))
ax.spines["top"].set_visible(False)
ax.spines[["right", "left"]].set_visible(False)
for side in ax.spines:
    ax.spines[side].set_color("k")
ax.barh(names, values)
ax.invert_yaxis()
plt.setp(ax.get_xticklabels(), rotation=45)

# %% surfaces in space
import numpy as np
import matplotlib.pyplot as plt
from mpl_toolkits.mplot3d import Axes3D
from matplotlib import cm
X, Y = np.meshgrid(np.arange(-5, 5, 0.25), np.arange(-5, 5, 0.25))
Z = np.sin(np.sqrt(X**2 + Y**2))
fig = plt.figure(figsize=plt.figaspect(0.5)) if hasattr(plt, "figaspect") else plt.figure(figsize=(8, 4))
ax = fig.add_subplot(1, 2, 1, projection="3d")
surf = ax.plot_surface(X, Y, Z, cmap=cm.coolwarm, linewidth=0, antialiased=False, rstride=1, cstride=1, alpha=0.8)
fig.colorbar(surf, ax=ax, shrink=0.5, aspect=10)
ax.set_zlim(-1.01, 1.01)
ax.view_init(elev=30, azim=45)
ax.set_xlabel("x"); ax.set_ylabel("y"); ax.set_zlabel("z")
ax = fig.add_subplot(122, projection="3d")
ax.plot_wireframe(X, Y, Z, rstride=10, cstride=10)
ax.scatter(X[0], Y[0], Z[0], c=Z[0], marker="o")
ax.plot(X[0], Y[0], Z[0], "r-", label="path")
ax.contour(X, Y, Z, zdir="z", offset=-1, cmap="viridis")
ax.text(0, 0, 1, "top")
plt.show()
print(type(ax).__name__)

# %% attention
import numpy as np
import matplotlib.pyplot as plt
import matplotlib.ticker as ticker
attention = np.random.rand(4, 6)
fig = plt.figure()
ax = fig.add_subplot(111)
cax = ax.matshow(attention, cmap="bone")
fig.colorbar(cax)
ax.xaxis.set_major_locator(ticker.MultipleLocator(1))
ax.yaxis.set_major_locator(ticker.MultipleLocator(1))
ax.tick_params(labelsize=15)
ax.set_xticks(range(6), labels="the cat sat on the mat".split(), rotation=90)
ax.set_yticks(np.arange(4)); ax.set_yticklabels(["a", "b", "c", "d"])
for i in range(4):
    for j in range(6):
        ax.text(j, i, f"{attention[i, j]:.2f}", ha="center", va="center", color="w" if attention[i, j] > 0.5 else "black",
                bbox=dict(boxstyle="round", facecolor="wheat", alpha=0.3))
fig, axes = plt.subplots(2, 2, squeeze=False, sharex=True)
for row in axes:
    for ax in row:
        pcm = ax.imshow(attention, cmap="Reds")
fig.colorbar(pcm, ax=axes, shrink=0.6)
plt.show()

# %% scales, fills and errors
import numpy as np
import matplotlib.pyplot as plt
x = np.linspace(1, 100, 50)
mean, std = np.log(x), np.ones(50) * 0.2
fig, axs = plt.subplots(2, 2, figsize=(10, 8), constrained_layout=True)
axs[0, 0].semilogy(x, x**2); axs[0, 0].set_title("log y")
axs[0, 1].loglog(x, x**2, "--"); print(axs[0, 1].get_xscale(), axs[0, 1].get_yscale())
axs[1, 0].plot(x, mean, "k-")
axs[1, 0].fill_between(x, mean - std, mean + std, alpha=0.2, color="C1", where=mean > 2, label="one std")
axs[1, 0].axvspan(20, 40, color="y", alpha=0.3)
axs[1, 1].errorbar(x[::5], mean[::5], yerr=std[::5], fmt="o", capsize=3, ecolor="r", label="runs")
axs[1, 1].set_xscale("log")
axs[1, 1].step(x, mean, where="post")
axs[1, 1].stem(x[::10], mean[::10])
axs[1, 1].hlines(2, 1, 100, linestyles="dotted"); axs[1, 1].vlines([10, 20], 0, 4, colors="r")
axs[1, 1].text(0.05, 0.95, "note", transform=axs[1, 1].transAxes, verticalalignment="top", fontsize=12)
axs[1, 1].margins(x=0)
for ax in axs.flat:
    ax.set(xlabel="x-label", ylabel="y-label")
    ax.label_outer()
plt.gca().set_aspect("equal", "box")
fig.supxlabel("all"); fig.text(0.5, 0.01, "below", ha="center")

# %% colours of colormaps
import numpy as np
import matplotlib
import matplotlib.pyplot as plt
from matplotlib import colors as mcolors
colors = plt.cm.viridis(np.linspace(0, 1, 5))
print(colors.shape, colors.dtype, colors[0].round(1).tolist(), colors[-1].round(1).tolist())
one = plt.cm.tab10(3)
print(type(one).__name__, len(one), [round(float(c), 4) for c in one])
cmap = plt.get_cmap("plasma")
print(cmap.N, [round(float(c), 2) for c in cmap(0.5)], cmap(np.array([[0.1, 0.2]])).shape, plt.get_cmap("tab20").N)
print(mcolors.to_rgba("tab:blue", 0.5), mcolors.to_hex("r"), matplotlib.colormaps["jet"].N)
norm = mcolors.Normalize(vmin=0, vmax=10)
print(float(norm(5)), norm([0, 10]).tolist())
for k, c in enumerate(colors):
    plt.plot([0, 1], [k, k + 1], color=c)
sm = plt.cm.ScalarMappable(cmap="viridis", norm=norm)
sm.set_array([])
plt.colorbar(sm, ax=plt.gca(), label="k")
print(len(plt.rcParams["axes.prop_cycle"].by_key()["color"]), plt.rcParams["figure.figsize"])

# %% interactive words
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
plt.rcParams["figure.figsize"] = (5, 3)
plt.ion()
with plt.ioff():
    fig = plt.figure()
ax = plt.axes()
line, = ax.plot([0, 1], [1, 2], "g-", linewidth=2)
for k in range(3):
    line.set_data([0, 1, 2], [k, k + 1, 0])
    line.set_ydata([1, 2, k])
    ax.relim(); ax.autoscale_view()
    fig.canvas.draw(); fig.canvas.flush_events()
    plt.draw(); plt.pause(0.001)
print(plt.gcf() is fig, plt.gca() is ax, fig.get_size_inches().tolist(), plt.get_fignums(), plt.fignum_exists(1))
plt.clf()
plt.cla()
plt.close("all")
print(plt.get_fignums())

# %% layouts
import numpy as np
import matplotlib.pyplot as plt
import matplotlib.gridspec as gridspec
fig = plt.figure(figsize=(8, 6))
gs = gridspec.GridSpec(2, 3, figure=fig, width_ratios=[1, 2, 1], hspace=0.4)
a = fig.add_subplot(gs[0, :]); b = fig.add_subplot(gs[1, 0]); c = plt.subplot(gs[1, 1:])
a.plot([1, 2, 3]); b.bar([1, 2], [3, 4]); c.pie([1, 2, 3], labels=["x", "y", "z"], autopct="%1.1f%%", explode=(0, 0.1, 0))
inset = a.inset_axes([0.6, 0.6, 0.3, 0.3]); inset.plot([3, 2, 1])
polar = fig.add_axes([0.05, 0.05, 0.2, 0.2], projection="polar"); polar.plot(np.linspace(0, 6, 50), np.linspace(0, 1, 50))
fig, ax = plt.subplots(gridspec_kw={"left": 0.2})
ax.boxplot([np.random.randn(50), np.random.randn(60)]); ax.violinplot([np.random.randn(50)], [3], showmeans=True)
quiver = ax.quiver([0, 1], [0, 1], [1, 0], [0, 1], color="r", scale=10)
ax.add_patch(plt.Circle((0.5, 0.5), 0.2, color="b", fill=False))
ax.annotate("here", xy=(1, 1), xytext=(2, 2), arrowprops=dict(facecolor="black", shrink=0.05))
ax.arrow(0, 0, 0.5, 0.5, head_width=0.05)
mosaic, named = plt.subplot_mosaic("AB;CC")
print(sorted(named), len(mosaic.axes))

# %% what is wrong is told as matplotlib tells it
import numpy as np
import matplotlib.pyplot as plt
for wrong in (lambda: plt.plot([1, 2, 3], [1, 2]), lambda: plt.scatter([1, 2], [1]), lambda: plt.imshow(np.zeros((2, 2, 2, 2))),
              lambda: plt.subplots(0, 1), lambda: plt.figure(figsize=(-1, 1)), lambda: plt.get_cmap("nothing"),
              lambda: plt.yscale("nothing"), lambda: plt.gcf().add_subplot(projection="nothing")):
    try:
        wrong()
    except ValueError as error:
        print("ValueError", str(error)[:35])
    except TypeError as error:
        print("TypeError", str(error)[:35])

# %% a colormap for all images
import numpy as np
import matplotlib.pyplot as plt
plt.gray()
image = np.arange(12.0).reshape(3, 4)
plt.imshow(image)
print(plt.rcParams["image.cmap"])
plt.rcParams["image.cmap"] = "magma"
plt.imshow(image)
plt.viridis()
plt.matshow(image)
plt.rc("image", cmap="bone")
plt.imsave("digit.png", image, cmap="gray", vmin=0)
plt.imshow(image)
with plt.rc_context({"image.cmap": "hot"}):
    print(plt.rcParams["image.cmap"])
print(plt.rcParams["image.cmap"], plt.get_fignums(), plt.hsv() is plt.inferno())
plt.show()
