import { ATOMIC_FORMS } from './atomic-forms.js';
import { CONTROL_FORMS } from './control-forms.js';
import { FLOAT_FORMS } from './float-forms.js';
import type { FormGroup } from './form-list.js';
import { MATRIX_FORMS } from './matrix-forms.js';
import { MEMORY_FORMS } from './memory-forms.js';
import { TENSOR_FORMS } from './tensor-forms.js';
import { VALUE_FORMS } from './value-forms.js';

/** Forms of the instructions of kernels, PTX and near misses. */
export const KERNEL_FORMS: readonly FormGroup[] = [
  ...VALUE_FORMS,
  ...FLOAT_FORMS,
  ...MEMORY_FORMS,
  ...ATOMIC_FORMS,
  ...CONTROL_FORMS,
  ...MATRIX_FORMS,
  ...TENSOR_FORMS,
];
