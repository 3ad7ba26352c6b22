// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
import { inForce } from "../in_force.js";
function exp_so3_own(in0){
const a=in0[0]*in0[0],aa=in0[1]*in0[1],ab=in0[2]*in0[2],ac=a+aa,ad=ac+ab,ae=1-((ad-1)>0?1:0),af=ae!==0?1:ad,ag=Math.sqrt(af),ah=ae!==0?ad:0,ai=ae!==0?1-ah*0.16666666666666666*(1-ah*0.05*(1-ah*0.023809523809523808*(1-ah*0.013888888888888888*(1-ah*0.00909090909090909*(1-ah*0.00641025641025641*(1-ah*0.004761904761904762*(1-ah*0.003676470588235294*(1-ah*0.0029239766081871343*(1-ah*0.002380952380952381))))))))):Math.sin(ag)*(1/ag),aj=ai*in0[2],ak=ai*in0[1],al=ai*in0[0],am=1-((af-1)>0?1:0),an=am!==0?af:0,ao=ae!==0?(1-ah*0.08333333333333333*(1-ah*0.03333333333333333*(1-ah*0.017857142857142856*(1-ah*0.011111111111111112*(1-ah*0.007575757575757576*(1-ah*0.005494505494505495*(1-ah*0.004166666666666667*(1-ah*0.0032679738562091504*(1-ah*0.002631578947368421*(1-ah*0.0021645021645021645))))))))))*0.5:(1-(am!==0?1-an*0.5*(1-an*0.08333333333333333*(1-an*0.03333333333333333*(1-an*0.017857142857142856*(1-an*0.011111111111111112*(1-an*0.007575757575757576*(1-an*0.005494505494505495*(1-an*0.004166666666666667*(1-an*0.0032679738562091504*(1-an*0.002631578947368421))))))))):Math.cos(Math.sqrt((am!==0?1:af)))))*(1/af),ap=ao*(in0[1]*in0[0]),aq=ao*(in0[2]*in0[0]),ar=ao*(in0[2]*in0[1]);
return [[1-ao*(ab+aa),ap-aj,ak+aq],[aj+ap,1-ao*(ab+a),ar-al],[aq-ak,al+ar,1-ao*ac]];
}
export const exp_so3=(...x)=>inForce("exp_so3",exp_so3_own)(...x);
