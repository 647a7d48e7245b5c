"""Which parameters of a robot can be identified, in which combinations, and their values from measurements."""

from kinetree.identify.base_parameters import BaseParameters as BaseParameters, base_parameters as base_parameters
from kinetree.identify.data import Data as Data
from kinetree.identify.data_sets import fit_each as fit_each
from kinetree.identify.excitation import Excitation as Excitation
from kinetree.identify.excite import excite as excite
from kinetree.identify.fit import Fit as Fit, fit as fit
from kinetree.identify.parameters import Parameters as Parameters
from kinetree.identify.payload import Payload as Payload, payload as payload
from kinetree.identify.samples import Samples as Samples, prepare as prepare
from kinetree.identify.standard import parameter_names as parameter_names
from kinetree.identify.validation import Validation as Validation
from kinetree.renamed import install

install(__name__)
