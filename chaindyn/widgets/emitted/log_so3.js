// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function log_so3_own(in0){
const a=in0[0][2]-in0[2][0],aa=-(in0[0][1]-in0[1][0]),ab=-(in0[1][2]-in0[2][1]),ac=in0[0][0]+in0[1][1]+in0[2][2],ad=ac+1,ae=in0[0][1]+in0[1][0],af=in0[0][2]+in0[2][0],ag=in0[1][2]+in0[2][1],ah=1-ac,ai=in0[0][0]+in0[0][0]+ah,aj=in0[1][1]+in0[1][1]+ah,ak=in0[2][2]+in0[2][2]+ah,al=(ai-ad)>0?1:0,am=al!==0?ai:ad,an=(aj-am)>0?1:0,ao=((ak-(an!==0?aj:am))>0?1:0)!==0?3:(an!==0?2:(al!==0?1:0)),ap=(ao-0.5)>0?1:0,aq=(ao-1.5)>0?1:0,ar=(ao-2.5)>0?1:0,at=ar!==0?aa:(aq!==0?a:(ap!==0?ab:ad)),au=ar!==0?af:(aq!==0?ae:(ap!==0?ai:ab)),av=ar!==0?ag:(aq!==0?aj:(ap!==0?ae:a)),aw=ar!==0?ak:(aq!==0?ag:(ap!==0?af:aa)),ax=1/Math.sqrt(at*at+au*au+av*av+aw*aw),ay=at*ax,az=au*ax,aA=av*ax,aB=aw*ax,aC=ay>0?1:0,aD=aC!==0?ay:-ay,aE=aC!==0?az:-az,aF=aC!==0?aA:-aA,aG=aC!==0?aB:-aB,aH=(aD>0?1:0)!==0?1:(-1),aI=aE*aE+aF*aF+aG*aG,aJ=aH*aD,aK=1-((aI-aJ*aJ*0.0009765625)>0?1:0),aL=Math.sqrt((aK!==0?1:aI)),aM=aK!==0?aJ:1,aN=aK!==0?aI*(1/(aM*aM)):0,aO=aH*2*(aK!==0?(1-aN*0.3333333333333333*(1-aN*3*0.2*(1-aN*5*0.14285714285714285*(1-aN*7*0.1111111111111111*(1-aN*9*0.09090909090909091*(1-aN*11*0.07692307692307693*(1-aN*13*0.06666666666666667)))))))*(1/aM):Math.atan2(aL,aJ)*(1/aL));
return [aO*aE,aO*aF,aO*aG];
}
export const log_so3=(...x)=>inForce("log_so3",log_so3_own)(...x);
