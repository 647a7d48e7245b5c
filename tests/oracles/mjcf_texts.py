"""MJCF texts for the comparison with MuJoCo: one for each thing that the reader honours."""

from __future__ import annotations

GEOM = '<geom type="box" size=".1 .2 .3" pos=".1 -.2 .3" euler="10 20 30"/>'
JOINT = '<joint axis="1 2 3"/>'
WHOLE = f"<body>{JOINT}{GEOM}</body>"
INERTIAL = 'pos=".1 .2 .3" mass="2"'
BALL = f'<inertial {INERTIAL} diaginertia="1 1 1"/>'


def on_world(inside: str, attributes: str = "") -> str:
    return f"<worldbody><body {attributes}>{inside}</body></worldbody>"


TEXTS = {
    "hinge": on_world('<joint axis="1 2 3"/>' + GEOM, 'pos="1 2 3"'),
    "hinge with anchor": on_world('<joint axis="0 1 0" pos=".1 .2 .3"/>' + GEOM, 'pos="1 2 3" euler="10 20 30"'),
    "hinge with ref": on_world('<joint axis="0 1 1" pos=".1 .2 .3" ref="30"/>' + GEOM, 'quat="1 2 3 4"'),
    "slide": on_world('<joint type="slide" axis="1 0 2" pos=".1 .2 .3" ref=".4"/>' + GEOM, 'quat="1 2 3 4"'),
    "ball": on_world('<joint type="ball" pos=".1 .2 .3" axis="0 1 0"/>' + GEOM, 'quat="1 2 3 4" pos="1 0 0"'),
    "free": on_world('<joint type="free" pos="1 1 1" damping=".3"/>' + GEOM, 'quat="1 2 3 4" pos="1 0 0"'),
    "freejoint": '<default><joint armature="3"/></default>' + on_world("<freejoint/>" + GEOM, 'pos="1 0 0"'),
    "several joints": on_world(
        f'<joint type="slide" axis="1 0 0"/><joint pos="1 0 0" axis="0 1 1"/><joint pos="0 1 0" axis="1 0 0" ref="20"/>'
        f'<joint type="slide" axis="0 0 1" ref="2"/><joint axis="0 1 0" pos=".1 .1 .1"/>{GEOM}{WHOLE}',
        'euler="10 20 30" name="hub"',
    ),
    "slides and ball": on_world(
        f'<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="ball" pos="0 0 .5"/>{GEOM}'
    ),
    "branches": on_world(f"{JOINT}{GEOM}{WHOLE}<body pos='0 0 1'>{GEOM}{WHOLE}<body>{GEOM}</body></body>{WHOLE}"),
    "on the world": f'<worldbody><site name="s" pos="1 0 0"/><body pos="1 2 3">{GEOM}{WHOLE}</body></worldbody>',
    "mocap": f'<worldbody><body mocap="true" pos="1 2 3">{GEOM}</body>{WHOLE}</worldbody>',
    "free among others": f'<worldbody>{WHOLE}<body pos="1 2 3"><freejoint/>{GEOM}{WHOLE}</body>{WHOLE}</worldbody>',
    # orientations
    "axisangle": on_world(JOINT + GEOM, 'axisangle="1 2 3 40"'),
    "xyaxes": on_world(JOINT + GEOM, 'xyaxes="1 2 3 0 1 .5"'),
    "zaxis": on_world(JOINT + GEOM + WHOLE.replace("<body", '<body zaxis="0 0 -2"'), 'zaxis="1 2 3"'),
    "radians": '<compiler angle="radian"/>' + on_world('<joint ref=".3" range="-1 1"/>' + GEOM, 'euler="1 2 3"'),
    "eulerseq": '<compiler eulerseq="zYx"/>' + on_world(JOINT + GEOM, 'euler="10 20 30"'),
    "quarter turns": on_world(JOINT + GEOM + WHOLE.replace("<body", '<body quat="1 0 0 1"'), 'euler="90 0 -90"'),
    "two compilers": '<compiler angle="radian" eulerseq="zyz"/><compiler angle="degree"/>'
    + on_world(JOINT + GEOM, 'euler="1 2 3"'),
    # inertials
    "diagonal": on_world(f'{JOINT}<inertial {INERTIAL} diaginertia=".3 .2 .4"/>'),
    "diagonal, quat": on_world(f'{JOINT}<inertial {INERTIAL} diaginertia=".3 .2 .4" quat="1 2 3 4"/>'),
    "diagonal, euler": on_world(f'{JOINT}<inertial {INERTIAL} diaginertia=".3 .2 .4" euler="10 20 30"/>'),
    "diagonal, axisangle": on_world(f'{JOINT}<inertial {INERTIAL} diaginertia=".3 .2 .4" axisangle="1 2 3 50"/>'),
    "diagonal, xyaxes": on_world(f'{JOINT}<inertial {INERTIAL} diaginertia=".3 .2 .4" xyaxes="1 1 0 0 1 1"/>'),
    "diagonal, zaxis": on_world(f'{JOINT}<inertial {INERTIAL} diaginertia=".3 .2 .4" zaxis="1 1 0"/>'),
    "full": on_world(f'{JOINT}<inertial {INERTIAL} fullinertia=".3 .2 .4 .01 .02 -.03"/>'),
    "inertial wins": on_world(f'{JOINT}{GEOM}<inertial {INERTIAL} diaginertia=".3 .2 .4"/>'),
    "inertiafromgeom": '<compiler inertiafromgeom="true"/>' + on_world(JOINT + GEOM + BALL),
    "no geoms to take": '<compiler inertiafromgeom="true"/>' + on_world(JOINT + BALL),
    "inertiafromgeom false": '<compiler inertiafromgeom="false"/>'
    + on_world(f'{JOINT}{GEOM}<inertial {INERTIAL} diaginertia=".3 .2 .4"/><body>{GEOM}</body>'),
    "groups": '<compiler inertiagrouprange="1 2"/>'
    + on_world(f'{JOINT}{GEOM}<geom size=".1" group="2"/><geom size="1" group="3"/>'),
    "boundmass": '<compiler boundmass="0.3" boundinertia="0.1"/>'
    + on_world(f"{JOINT}<frame pos='3 2 1' euler='10 0 0'><body pos='1 2 3'>{WHOLE}</body></frame>", "pos='1 2 3'"),
    "boundinertia": '<compiler boundinertia="30"/>' + on_world(JOINT + GEOM + '<geom size=".3" pos="1 0 0"/>'),
    "balanceinertia": '<compiler balanceinertia="true"/>' + on_world(JOINT + BALL.replace("1 1 1", "1 1 3")),
    "settotalmass": f'<compiler settotalmass="7"/><worldbody><body>{GEOM}</body>{WHOLE}{WHOLE}</worldbody>',
    # geoms
    "sphere": on_world(JOINT + '<geom size=".3" pos="1 2 3"/>'),
    "mass": on_world(
        JOINT + '<geom size=".3" pos="1 2 3" mass="5"/><geom size=".1" mass="0"/><geom size="1" density="0"/>'
    ),
    "capsule": on_world(JOINT + '<geom type="capsule" size=".3 .5" pos="1 2 3" density="300" zaxis="1 1 1"/>'),
    "cylinder": on_world(JOINT + '<geom type="cylinder" size=".3 .5" euler="10 20 30"/>'),
    "ellipsoid": on_world(JOINT + '<geom type="ellipsoid" size=".3 .5 .7" euler="10 20 30"/>'),
    "fromto": on_world(
        JOINT
        + "".join(
            f'<geom type="{t}" size=".2" fromto="0 1 0 1 1 {k}"/>'
            for k, t in enumerate(("capsule", "cylinder", "ellipsoid", "box"))
        )
    ),
    "fromto down": on_world(
        JOINT + '<geom type="capsule" size=".2" fromto="0 1 0 0 1 1"/><geom type="box" size=".1" fromto="0 0 1 0 0 0"/>'
    ),
    "shells": on_world(
        JOINT
        + "".join(
            f'<geom type="{t}" size="{s}" pos="0 1 {k}" shellinertia="true"/>'
            for k, (t, s) in enumerate(
                (("sphere", ".3"), ("capsule", ".3 .5"), ("cylinder", ".3 .5"), ("box", ".3 .5 .7"))
            )
        )
    ),
    "ellipsoid shell": on_world(JOINT + '<geom type="ellipsoid" size=".3 .5 .7" shellinertia="true"/>'),
    "sizes from a class": '<default><geom type="capsule" size=".1 .3"/></default>'
    + on_world(JOINT + '<geom size=".2"/>'),
    "orientation over the class": '<default><geom type="box" size=".1 .2 .3" euler="90 0 0"/></default>'
    + on_world(JOINT + '<geom quat="1 0 0 1"/><geom pos="1 0 0"/><geom zaxis="1 0 0"/>'),
    # classes
    "classes": f"""<default><joint armature="1" damping="2"/><geom type="box" size=".1 .2 .3"/>
        <default class="a"><joint damping="3" axis="1 0 0"/><default class="b"><joint armature="4"/></default></default>
        <default class="c"><geom size=".3"/></default></default>
      <default><joint frictionloss=".5"/></default>
      <worldbody><body childclass="a"><joint/><geom/><body><joint/><geom class="c"/>
        <body childclass="b"><joint/><geom/><frame childclass="c"><geom pos="1 0 0"/></frame></body>
        <body><joint class="b"/><joint class="main" pos="1 0 0"/>{GEOM}</body></body></body></worldbody>""",
    "outer settings behind inner classes": """<worldbody><body><geom size=".1"/><joint class="a"/></body></worldbody>
        <default><default class="a"><joint armature="2"/></default><joint damping="3"/></default>""",
    "frames": f"""<worldbody><frame pos="1 2 3" euler="10 20 30"><body name="a" pos="0 1 0">
        <frame pos=".1 .2 .3" zaxis="1 1 0"><joint pos="1 0 0" axis="0 1 0"/>{GEOM}<site name="s" pos="0 0 1"/>
          <frame euler="0 40 0"><body quat="1 1 0 0">{JOINT}{GEOM}</body></frame></frame></body></frame></worldbody>""",
    "inertial in a frame": on_world(
        f'<frame pos="1 0 0" euler="90 10 0">{JOINT}<inertial {INERTIAL} diaginertia=".3 .2 .4"/></frame>'
    ),
    # what resists
    "armature and damping": on_world('<joint armature=".3" damping=".4" frictionloss=".5"/>' + GEOM),
    "spring": on_world(
        f'<joint stiffness="3" springref="20"/>{GEOM}'
        f'<body><joint type="slide" stiffness="3" springref=".2"/>{GEOM}</body>'
    ),
    "spring with ref": on_world(f'<joint stiffness="3" springref="20" ref="-30" pos="1 0 0"/>{GEOM}'),
    "spring of a ball": on_world(
        f'<joint type="ball" stiffness="3" damping="2" armature=".1"/>{GEOM}', 'quat="1 2 3 4"'
    ),
    "spring of a free joint": on_world(
        f'<joint type="free" stiffness="3" damping="2"/>{GEOM}', 'quat="1 2 3 4" pos="1 2 3"'
    ),
    "springdamper": f"""<worldbody>
        <body quat="1 2 3 4">{GEOM}<joint springdamper=".1 2" ref="30" armature=".2" springref="10"/>
        <body pos="1 0 0">{GEOM}<joint type="ball" springdamper=".2 1" pos="0 1 0"/>{WHOLE}</body></body>
        <body>{GEOM}<joint type="slide" springdamper=".3 .5" pos="0 1 0" ref=".3"/></body></worldbody>""",
    "springdamper and settotalmass": '<compiler settotalmass="3"/>' + on_world(GEOM + '<joint springdamper=".1 2"/>'),
    "no springs": '<option><flag spring="disable"/></option>' + on_world('<joint stiffness="3" damping="2"/>' + GEOM),
    "no dampers": '<option><flag damper="disable"/></option>' + on_world('<joint stiffness="3" damping="2"/>' + GEOM),
    "no friction": '<option><flag frictionloss="disable"/></option>' + on_world('<joint frictionloss="3"/>' + GEOM),
    # limits
    "limits": on_world(
        f'<joint range="-30 40" actuatorfrcrange="-3 2"/>{GEOM}<body><joint type="slide" range="-1 2"/>{GEOM}</body>'
    ),
    "not limited": on_world(
        '<joint range="-30 40" limited="false" actuatorfrcrange="-3 2" actuatorfrclimited="false"/>' + GEOM
    ),
    "limited": '<compiler autolimits="false"/>' + on_world('<joint range="-30 40" limited="true"/>' + GEOM),
    # options
    "gravity": '<option gravity="1 2 3"/>' + on_world(JOINT + GEOM),
    "no gravity": '<option gravity="1 2 3"/><option><flag gravity="disable"/></option>' + on_world(JOINT + GEOM),
    # names
    "sites": on_world(
        JOINT
        + GEOM
        + """<site name="a" pos="1 0 0"/><site name="b" euler="10 20 30"/><site/>
        <site name="c" type="capsule" size=".1" fromto="0 0 1 1 1 1"/>""",
        'name="a"',
    ),
}

# names like those that bodies and joints without one get
TAKEN = f"""<mujoco><worldbody>
    <body name="body2">{GEOM}<joint name="joint1"/><joint pos="1 0 0" axis="1 0 0"/>
        <body>{GEOM}<joint name="joint0"/><site name="body2/joint1"/></body></body></worldbody></mujoco>"""

# two bodies in a chain, one beside it
LINKAGE = f"""<worldbody><body name="a" pos="1 0 0" euler="10 20 30"><joint name="j" pos="0 0 1" ref="30"/>{GEOM}
    <site name="s" pos="0 1 0" euler="0 30 0"/>
    <body name="c" pos="0 1 0"><joint name="k" axis="1 0 0"/>{GEOM}</body></body>
  <body name="b" pos="0 2 0" quat="1 2 3 4"><joint name="l" type="slide" ref=".3"/>{GEOM}
    <site name="t" pos="0 0 1" euler="10 0 0"/></body></worldbody>"""

LOOPS = {
    "pin": '<connect body1="c" body2="b" anchor="1 2 3"/>',
    "pin to the world": '<connect body1="c" anchor="1 2 3"/>',
    "pin of sites": '<connect site1="s" site2="t"/>',
    "weld": '<weld body1="c" body2="b"/>',
    "weld to the world": '<weld body1="c"/>',
    "weld in a pose": '<weld body1="c" body2="b" relpose="1 2 3 1 1 0 1"/>',
    "weld of sites": '<weld site1="s" site2="t"/>',
    "weld at an anchor": '<weld body1="c" body2="b" anchor="1 2 3"/>',
    "weld in a pose at an anchor": '<weld body1="c" body2="b" relpose="1 2 3 1 1 0 1" anchor=".1 .2 .3"/>',
    "pin by a weld": '<weld body1="c" body2="b" torquescale="0"/>',
    "pin by a weld to the world": '<weld body1="c" torquescale="0" anchor="1 2 3"/>',
    "pin by a weld at an anchor": '<weld body1="c" body2="b" torquescale="0" anchor="1 2 3"/>',
    "pin by a weld in a pose": '<weld body1="c" body2="b" relpose="1 2 3 1 1 0 1" anchor=".1 .2 .3" torquescale="0"/>',
    "pin by a weld of sites": '<weld site1="s" site2="t" torquescale="0.0"/>',
}

# who follows whom
COUPLINGS = {
    "follower": ("j", "l", '<joint joint1="j" joint2="l"/>'),
    "quartic": ("j", "k", '<joint joint1="j" joint2="k" polycoef="1 -2 3 -4 5"/>'),
    "quadratic": ("l", "j", '<joint joint1="l" joint2="j" polycoef=".1 .2 .3"/>'),
    "held": ("j", None, '<joint joint1="j" polycoef=".2 7"/>'),
}
