// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
function forward_kinematics_run_0_1(D,G,in0,out0,out1,out2,w,g,n,nq,nv,i,d,o,p,q,v){
const a=D[d+15]*in0[q],aa=Math.cos(a),ab=Math.sin(a),ac=aa*D[d+17],ad=aa*D[d+18],ae=aa*D[d+20],af=ab*D[d+14],ag=ab*D[d+13],ah=ab*D[d+12],ai=aa*D[d+22]+D[d+16],aj=D[d+17]-(ac+af),ak=ag-ad+D[d+18],al=af-ac+D[d+17],am=aa*D[d+23]+D[d+19],an=D[d+20]-(ae+ah),ao=D[d+18]-(ad+ag),ap=ah-ae+D[d+20],aq=aa*D[d+24]+D[d+21],ar=D[d+25]*in0[q],at=D[d+26]*in0[q],au=D[d+27]*in0[q],av=D[d+0]*ai+D[d+1]*al+D[d+2]*ao,aw=D[d+0]*aj+D[d+1]*am+D[d+2]*ap,ax=D[d+0]*ak+D[d+1]*an+D[d+2]*aq,ay=D[d+3]*ai+D[d+4]*al+D[d+5]*ao,az=D[d+3]*aj+D[d+4]*am+D[d+5]*ap,aA=D[d+3]*ak+D[d+4]*an+D[d+5]*aq,aB=D[d+6]*ai+D[d+7]*al+D[d+8]*ao,aC=D[d+6]*aj+D[d+7]*am+D[d+8]*ap,aD=D[d+6]*ak+D[d+7]*an+D[d+8]*aq,aE=D[d+9]+(D[d+0]*ar+D[d+1]*at+D[d+2]*au),aF=D[d+10]+(D[d+3]*ar+D[d+4]*at+D[d+5]*au),aG=D[d+11]+(D[d+6]*ar+D[d+7]*at+D[d+8]*au),aH=w[p+0]*av+w[p+1]*ay+w[p+2]*aB,aI=w[p+0]*aw+w[p+1]*az+w[p+2]*aC,aJ=w[p+0]*ax+w[p+1]*aA+w[p+2]*aD,aK=w[p+3]*av+w[p+4]*ay+w[p+5]*aB,aL=w[p+3]*aw+w[p+4]*az+w[p+5]*aC,aM=w[p+3]*ax+w[p+4]*aA+w[p+5]*aD,aN=w[p+6]*av+w[p+7]*ay+w[p+8]*aB,aO=w[p+6]*aw+w[p+7]*az+w[p+8]*aC,aP=w[p+6]*ax+w[p+7]*aA+w[p+8]*aD,aQ=w[p+9]+(w[p+0]*aE+w[p+1]*aF+w[p+2]*aG),aR=w[p+10]+(w[p+3]*aE+w[p+4]*aF+w[p+5]*aG),aS=w[p+11]+(w[p+6]*aE+w[p+7]*aF+w[p+8]*aG);
w[o+0]=aH;
w[o+1]=aI;
w[o+2]=aJ;
w[o+3]=aK;
w[o+4]=aL;
w[o+5]=aM;
w[o+6]=aN;
w[o+7]=aO;
w[o+8]=aP;
w[o+9]=aQ;
w[o+10]=aR;
w[o+11]=aS;
out0[i*9]=aH;
out0[i*9+1]=aI;
out0[i*9+2]=aJ;
out0[i*9+3]=aK;
out0[i*9+4]=aL;
out0[i*9+5]=aM;
out0[i*9+6]=aN;
out0[i*9+7]=aO;
out0[i*9+8]=aP;
out1[i*3]=aQ;
out1[i*3+1]=aR;
out1[i*3+2]=aS;
}
function forward_kinematics_run(sizes,tree,D,G,inputs,outputs,w){
const [n,nq,nv,keep]=sizes,K=(link)=>tree[6*link+3];
const in0=inputs[0],out0=outputs[0],out1=outputs[1],out2=outputs[2],g=w.subarray(keep);
w[0]=1;
w[1]=0;
w[2]=0;
w[3]=0;
w[4]=1;
w[5]=0;
w[6]=0;
w[7]=0;
w[8]=1;
w[9]=0;
w[10]=0;
w[11]=0;
for(let i=0;i<n;i++){const t=6*i,p=tree[t]<0?0:K(tree[t]);
if(tree[t+1]===0) forward_kinematics_run_0_1(D,G,in0,out0,out1,out2,w,g,n,nq,nv,i,tree[t+2],tree[t+3],p,tree[t+4],tree[t+5]);
}
}
export const FORWARD_KINEMATICS={keep:12,carried:12,kept:1,inputs:[null],rows:["links", "links"],outputs:[["n", 3, 3], ["n", 3], [0]],run:forward_kinematics_run};
