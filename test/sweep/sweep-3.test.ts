import { sweep } from './sweep.js';

sweep(3);
