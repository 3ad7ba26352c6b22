// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function gap_half_way_own(in0,in1,in2){
return in0-in2*0.5*in1;
}
export const gap_half_way=(...x)=>inForce("gap_half_way",gap_half_way_own)(...x);
