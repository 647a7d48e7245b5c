"""Which parameters of a robot can be identified, and in which combinations."""

from kinetree.identify.base_parameters import BaseParameters as BaseParameters
from kinetree.identify.base_parameters import base_parameters as base_parameters
from kinetree.identify.standard import parameter_names as parameter_names
