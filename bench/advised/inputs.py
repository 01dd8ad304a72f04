"""Small inputs of the programs of programs.py. {steps} and the like are filled in there."""

LAMMPS_MELT = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 20 0 20 0 20
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
thermo 20
run {steps}
"""

DEVITO_HEAT = """\
from devito import Eq, Grid, Operator, TimeFunction, norm, solve

grid = Grid(shape=(96, 96, 96))
u = TimeFunction(name="u", grid=grid, space_order=4)
u.data[0, 30:60, 30:60, 30:60] = 1.0
step = Eq(u.forward, solve(Eq(u.dt, 0.1 * u.laplace), u.forward))
Operator(step).apply(time_M={steps}, dt=1e-5)
value = norm(u)
if grid.distributor.myrank == 0:
    print(f"norm {{value:.8g}}")
"""

MEEP_RING = """\
(set-param! resolution 20)
(set! geometry-lattice (make lattice (size 12 12 no-size)))
(set! geometry (list
  (make cylinder (center 0 0) (height infinity) (radius 2) (material (make dielectric (index 3.4))))
  (make cylinder (center 0 0) (height infinity) (radius 1) (material air))))
(set! pml-layers (list (make pml (thickness 2))))
(set! sources (list (make source (src (make gaussian-src (frequency 0.15) (fwidth 0.1)))
                                 (component Ez) (center 1.1 0))))
(run-sources+ {time} (after-sources (harminv Ez (vector3 1.1) 0.15 0.1)))
(print "energy " (field-energy-in-box (volume (center 0 0) (size 8 8))) "\\n")
"""

NWCHEM_WATER = """\
start water
memory 400 mb
geometry units angstrom noautosym
 O  0.000 0.000 0.000
 H  0.757 0.586 0.000
 H -0.757 0.586 0.000
end
basis
 * library {basis}
end
task scf
task mp2
"""

CP2K_WATER = """\
&GLOBAL
  PROJECT water
  RUN_TYPE MD
  PRINT_LEVEL LOW
&END GLOBAL
&MOTION
  &MD
    ENSEMBLE NVE
    STEPS {steps}
    TIMESTEP 0.5
  &END MD
&END MOTION
&FORCE_EVAL
  METHOD Quickstep
  &DFT
    BASIS_SET_FILE_NAME BASIS_SET
    POTENTIAL_FILE_NAME GTH_POTENTIALS
    &MGRID
      CUTOFF 200
    &END MGRID
    &SCF
      EPS_SCF 1.0E-6
      &OT
      &END OT
    &END SCF
    &XC
      &XC_FUNCTIONAL PADE
      &END XC_FUNCTIONAL
    &END XC
  &END DFT
  &SUBSYS
    &CELL
      ABC 6.0 6.0 6.0
    &END CELL
    &COORD
      O  0.000 0.000 0.000
      H  0.757 0.586 0.000
      H -0.757 0.586 0.000
      O  3.000 3.000 3.000
      H  3.757 3.586 3.000
      H  2.243 3.586 3.000
    &END COORD
    &KIND H
      BASIS_SET DZVP-GTH-PADE
      POTENTIAL GTH-PADE-q1
    &END KIND
    &KIND O
      BASIS_SET DZVP-GTH-PADE
      POTENTIAL GTH-PADE-q6
    &END KIND
  &END SUBSYS
&END FORCE_EVAL
"""

ESPRESSO_SILICON = """\
&control
  calculation='scf', prefix='si', pseudo_dir='./', outdir='./out', disk_io='none'
/
&system
  ibrav=1, celldm(1)=10.26, nat=8, ntyp=1, ecutwfc={cutoff}
/
&electrons
  conv_thr=1.0d-8
/
ATOMIC_SPECIES
  Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS crystal
  Si 0.00 0.00 0.00
  Si 0.50 0.50 0.00
  Si 0.50 0.00 0.50
  Si 0.00 0.50 0.50
  Si 0.25 0.25 0.25
  Si 0.75 0.75 0.25
  Si 0.75 0.25 0.75
  Si 0.25 0.75 0.75
K_POINTS automatic
  3 3 3 1 1 1
"""

SATURNE_LID = """\
<?xml version="1.0" encoding="utf-8"?>
<Code_Saturne_GUI case="lid" solver_version="6.0" study="box" version="2.0">
  <analysis_control><time_parameters>
    <iterations>{steps}</iterations>
    <time_step_ref>0.01</time_step_ref>
    <time_passing>0</time_passing>
  </time_parameters></analysis_control>
  <boundary_conditions>
    <boundary label="lid" name="1" nature="wall">z &gt; 0.9999</boundary>
    <boundary label="walls" name="2" nature="wall">z &lt; 0.9999</boundary>
    <wall label="lid"><velocity_pressure choice="on">
      <dirichlet name="velocity" component="0">1</dirichlet>
      <dirichlet name="velocity" component="1">0</dirichlet>
      <dirichlet name="velocity" component="2">0</dirichlet>
    </velocity_pressure></wall>
    <wall label="walls"/>
  </boundary_conditions>
  <thermophysical_models>
    <turbulence model="off"/>
    <thermal_scalar model="off"/>
    <velocity_pressure>
      <variable label="Pressure" name="pressure"/>
      <variable label="Velocity" name="velocity" dimension="3"/>
    </velocity_pressure>
  </thermophysical_models>
  <physical_properties><fluid_properties>
    <material>user_material</material>
    <property choice="constant" label="Density" name="density">
      <initial_value>1</initial_value>
    </property>
    <property choice="constant" label="LamVisc" name="molecular_viscosity">
      <initial_value>0.01</initial_value>
    </property>
  </fluid_properties></physical_properties>
  <solution_domain><volumic_conditions>
    <zone id="1" label="all_cells" initialization="on" physical_properties="on">all[]</zone>
  </volumic_conditions></solution_domain>
</Code_Saturne_GUI>
"""

FOAM_PARTS = """\
FoamFile {{ version 2.0; format ascii; class dictionary; object decomposeParDict; }}
numberOfSubdomains {ranks};
method simple;
simpleCoeffs {{ n ({ranks} 1 1); delta 0.001; }}
"""
