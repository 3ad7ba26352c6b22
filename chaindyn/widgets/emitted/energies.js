// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
function energies_run_0_1(D,G,in0,in1,out0,out1,out2,w,g,n,nq,nv,i,d,o,p,q,v){
const a=D[d+15]*in0[q],aa=Math.cos(a),ab=Math.sin(a),ac=aa*D[d+17],ad=aa*D[d+18],ae=aa*D[d+20],af=ab*D[d+14],ag=ab*D[d+13],ah=ab*D[d+12],ai=aa*D[d+22]+D[d+16],aj=D[d+17]-(ac+af),ak=ag-ad+D[d+18],al=af-ac+D[d+17],am=aa*D[d+23]+D[d+19],an=D[d+20]-(ae+ah),ao=D[d+18]-(ad+ag),ap=ah-ae+D[d+20],aq=aa*D[d+24]+D[d+21],ar=D[d+25]*in0[q],at=D[d+26]*in0[q],au=D[d+27]*in0[q],av=D[d+0]*ai+D[d+1]*al+D[d+2]*ao,aw=D[d+0]*aj+D[d+1]*am+D[d+2]*ap,ax=D[d+0]*ak+D[d+1]*an+D[d+2]*aq,ay=D[d+3]*ai+D[d+4]*al+D[d+5]*ao,az=D[d+3]*aj+D[d+4]*am+D[d+5]*ap,aA=D[d+3]*ak+D[d+4]*an+D[d+5]*aq,aB=D[d+6]*ai+D[d+7]*al+D[d+8]*ao,aC=D[d+6]*aj+D[d+7]*am+D[d+8]*ap,aD=D[d+6]*ak+D[d+7]*an+D[d+8]*aq,aE=D[d+9]+(D[d+0]*ar+D[d+1]*at+D[d+2]*au),aF=D[d+10]+(D[d+3]*ar+D[d+4]*at+D[d+5]*au),aG=D[d+11]+(D[d+6]*ar+D[d+7]*at+D[d+8]*au),aH=av*w[p+0]+ay*w[p+1]+aB*w[p+2]+D[d+28]*in1[v],aI=aw*w[p+0]+az*w[p+1]+aC*w[p+2]+D[d+29]*in1[v],aJ=ax*w[p+0]+aA*w[p+1]+aD*w[p+2]+D[d+30]*in1[v],aK=(aB*aF-ay*aG)*w[p+0]+(av*aG-aB*aE)*w[p+1]+(ay*aE-av*aF)*w[p+2]+av*w[p+3]+ay*w[p+4]+aB*w[p+5]+D[d+25]*in1[v],aL=(aC*aF-az*aG)*w[p+0]+(aw*aG-aC*aE)*w[p+1]+(az*aE-aw*aF)*w[p+2]+aw*w[p+3]+az*w[p+4]+aC*w[p+5]+D[d+26]*in1[v],aM=(aD*aF-aA*aG)*w[p+0]+(ax*aG-aD*aE)*w[p+1]+(aA*aE-ax*aF)*w[p+2]+ax*w[p+3]+aA*w[p+4]+aD*w[p+5]+D[d+27]*in1[v],aN=w[p+6]*av+w[p+7]*ay+w[p+8]*aB,aO=w[p+6]*aw+w[p+7]*az+w[p+8]*aC,aP=w[p+6]*ax+w[p+7]*aA+w[p+8]*aD,aQ=w[p+9]*av+w[p+10]*ay+w[p+11]*aB,aR=w[p+9]*aw+w[p+10]*az+w[p+11]*aC,aS=w[p+9]*ax+w[p+10]*aA+w[p+11]*aD,aT=w[p+12]*av+w[p+13]*ay+w[p+14]*aB,aU=w[p+12]*aw+w[p+13]*az+w[p+14]*aC,aV=w[p+12]*ax+w[p+13]*aA+w[p+14]*aD,aW=w[p+15]+(w[p+6]*aE+w[p+7]*aF+w[p+8]*aG),aX=w[p+16]+(w[p+9]*aE+w[p+10]*aF+w[p+11]*aG),aY=w[p+17]+(w[p+12]*aE+w[p+13]*aF+w[p+14]*aG);
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
w[o+12]=aT;
w[o+13]=aU;
w[o+14]=aV;
w[o+15]=aW;
w[o+16]=aX;
w[o+17]=aY;
g[0]+=aH*(D[d+36]*aH+D[d+37]*aI+D[d+38]*aJ-D[d+42]*aL+D[d+43]*aM)+aI*(D[d+37]*aH+D[d+39]*aI+D[d+40]*aJ+D[d+42]*aK-D[d+44]*aM)+aJ*(D[d+38]*aH+D[d+40]*aI+D[d+41]*aJ-D[d+43]*aK+D[d+44]*aL)+aK*(D[d+42]*aI-D[d+43]*aJ+D[d+34]*aK)+aL*(D[d+44]*aJ-D[d+42]*aH+D[d+34]*aL)+aM*(D[d+43]*aH-D[d+44]*aI+D[d+34]*aM);
g[1]+=D[d+35]*in1[v]*in1[v];
g[4]+=D[d+47]*(aW+(aN*D[d+31]+aO*D[d+32]+aP*D[d+33]))+D[d+48]*(aX+(aQ*D[d+31]+aR*D[d+32]+aS*D[d+33]))+D[d+49]*(aY+(aT*D[d+31]+aU*D[d+32]+aV*D[d+33]));
}
function energies_run(sizes,tree,D,G,inputs,outputs,w){
const [n,nq,nv,keep]=sizes,K=(link)=>tree[6*link+3];
const in0=inputs[0],in1=inputs[1],out0=outputs[0],out1=outputs[1],out2=outputs[2],g=w.subarray(keep);
g[0]=0;
g[1]=0;
g[4]=0;
w[0]=0;
w[1]=0;
w[2]=0;
w[3]=0;
w[4]=0;
w[5]=0;
w[6]=1;
w[7]=0;
w[8]=0;
w[9]=0;
w[10]=1;
w[11]=0;
w[12]=0;
w[13]=0;
w[14]=1;
w[15]=0;
w[16]=0;
w[17]=0;
for(let i=0;i<n;i++){const t=6*i,p=tree[t]<0?0:K(tree[t]);
if(tree[t+1]===0) energies_run_0_1(D,G,in0,in1,out0,out1,out2,w,g,n,nq,nv,i,tree[t+2],tree[t+3],p,tree[t+4],tree[t+5]);
}
out0[0]=(g[0]+g[1])*0.5;
out1[0]=-g[4];
}
export const ENERGIES={keep:18,carried:18,kept:6,inputs:[null, null],rows:["one", "one"],outputs:[[], [], [0]],run:energies_run};
