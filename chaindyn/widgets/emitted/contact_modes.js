// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function contact_modes_own(){
return [[0,0,0],[1,1,0],[1,0,(-1)],[1,0,1],[0,1,0],[0,0,(-1)],[0,0,1]];
}
export const contact_modes=(...x)=>inForce("contact_modes",contact_modes_own)(...x);
