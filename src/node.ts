/** What needs a file system: the models that come with the package, and models in files. */
export { builtInModels, loadInOrder, loadModel } from './files/load-model.js';
