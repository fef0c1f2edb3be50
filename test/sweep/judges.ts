import type { Judge } from './judge.js';
import { asKernel } from './judges/as-kernel.js';
import { baseline } from './judges/baseline.js';
import { corruptedForProof, corruptedForZ3, proofConfirms, z3Confirms } from './judges/confirmation.js';
import { enginesAgree } from './judges/engines-agree.js';
import { referenceMeets } from './judges/enumerator.js';
import { explanationsHold, sequentialTakesTurns, simplestTakesTurns } from './judges/explanations.js';
import { judgedAlike } from './judges/judged-alike.js';
import { layoutIsInOrder } from './judges/layout.js';
import { reductionLosesNothing } from './judges/reduction.js';
import { readsBack } from './judges/round-trip.js';
import { seekFindsAll } from './judges/seek.js';
import { solversAgree } from './judges/solvers-agree.js';
import { otherModels, readsWell, verdict } from './judges/verdict.js';
import { versionsSayTheSame } from './judges/versions.js';

/** In the order in which they are heard: the baseline takes what the comparison of the engines has found. */
export const JUDGES: readonly Judge[] = [
  readsWell,
  verdict,
  otherModels,
  readsBack,
  enginesAgree,
  baseline,
  referenceMeets,
  z3Confirms,
  proofConfirms,
  corruptedForZ3,
  corruptedForProof,
  solversAgree,
  explanationsHold,
  simplestTakesTurns,
  sequentialTakesTurns,
  layoutIsInOrder,
  reductionLosesNothing,
  seekFindsAll,
  versionsSayTheSame,
  judgedAlike,
  asKernel,
];
