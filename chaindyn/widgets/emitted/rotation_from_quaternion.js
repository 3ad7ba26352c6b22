// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function rotation_from_quaternion_own(in0){
const a=in0[1]*in0[1],aa=in0[2]*in0[2],ab=in0[3]*in0[3],ac=in0[0]*in0[3],ad=in0[0]*in0[2],ae=in0[0]*in0[1],af=in0[2]*in0[1],ag=in0[3]*in0[1],ah=in0[3]*in0[2],ai=1/(in0[0]*in0[0]+a+aa+ab);
return [[1-(ab+aa)*2*ai,(af-ac)*2*ai,(ad+ag)*2*ai],[(ac+af)*2*ai,1-(ab+a)*2*ai,(ah-ae)*2*ai],[(ag-ad)*2*ai,(ae+ah)*2*ai,1-(aa+a)*2*ai]];
}
export const rotation_from_quaternion=(...x)=>inForce("rotation_from_quaternion",rotation_from_quaternion_own)(...x);
