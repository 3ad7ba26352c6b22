// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
function energies_run_0_1(D,G,in0,in1,out0,out1,out2,C0,C1,w,g,n,nq,nv,i,d,k,q,v,c0,o0,c1,o1){
const a=D[d+15]*in0[q],aa=Math.cos(a),ab=Math.sin(a),ac=aa*D[d+17],ad=aa*D[d+18],ae=aa*D[d+20],af=ab*D[d+14],ag=ab*D[d+13],ah=ab*D[d+12],ai=aa*D[d+22]+D[d+16],aj=D[d+17]-(ac+af),ak=ag-ad+D[d+18],al=af-ac+D[d+17],am=aa*D[d+23]+D[d+19],an=D[d+20]-(ae+ah),ao=D[d+18]-(ad+ag),ap=ah-ae+D[d+20],aq=aa*D[d+24]+D[d+21],ar=D[d+25]*in0[q],at=D[d+26]*in0[q],au=D[d+27]*in0[q],av=D[d+0]*ai+D[d+1]*al+D[d+2]*ao,aw=D[d+0]*aj+D[d+1]*am+D[d+2]*ap,ax=D[d+0]*ak+D[d+1]*an+D[d+2]*aq,ay=D[d+3]*ai+D[d+4]*al+D[d+5]*ao,az=D[d+3]*aj+D[d+4]*am+D[d+5]*ap,aA=D[d+3]*ak+D[d+4]*an+D[d+5]*aq,aB=D[d+6]*ai+D[d+7]*al+D[d+8]*ao,aC=D[d+6]*aj+D[d+7]*am+D[d+8]*ap,aD=D[d+6]*ak+D[d+7]*an+D[d+8]*aq,aE=D[d+9]+(D[d+0]*ar+D[d+1]*at+D[d+2]*au),aF=D[d+10]+(D[d+3]*ar+D[d+4]*at+D[d+5]*au),aG=D[d+11]+(D[d+6]*ar+D[d+7]*at+D[d+8]*au),aH=ay*C0[c0+1]-av*C0[c0+0]-aB*C0[c0+2]+D[d+28]*in1[v],aI=az*C0[c0+1]-aw*C0[c0+0]-aC*C0[c0+2]+D[d+29]*in1[v],aJ=aA*C0[c0+1]-ax*C0[c0+0]-aD*C0[c0+2]+D[d+30]*in1[v],aK=(av*aG-aB*aE)*C0[c0+1]-(aB*aF-ay*aG)*C0[c0+0]-(ay*aE-av*aF)*C0[c0+2]-av*C0[c0+3]+ay*C0[c0+4]+aB*C0[c0+5]+D[d+25]*in1[v],aL=(aw*aG-aC*aE)*C0[c0+1]-(aC*aF-az*aG)*C0[c0+0]-(az*aE-aw*aF)*C0[c0+2]-aw*C0[c0+3]+az*C0[c0+4]+aC*C0[c0+5]+D[d+26]*in1[v],aM=(ax*aG-aD*aE)*C0[c0+1]-(aD*aF-aA*aG)*C0[c0+0]-(aA*aE-ax*aF)*C0[c0+2]-ax*C0[c0+3]+aA*C0[c0+4]+aD*C0[c0+5]+D[d+27]*in1[v],aN=C1[c1+0]*av+C1[c1+1]*ay+C1[c1+2]*aB,aO=C1[c1+0]*aw+C1[c1+1]*az+C1[c1+2]*aC,aP=C1[c1+0]*ax+C1[c1+1]*aA+C1[c1+2]*aD,aQ=C1[c1+3]*av+C1[c1+4]*ay+C1[c1+5]*aB,aR=C1[c1+3]*aw+C1[c1+4]*az+C1[c1+5]*aC,aS=C1[c1+3]*ax+C1[c1+4]*aA+C1[c1+5]*aD,aT=C1[c1+6]*av+C1[c1+7]*ay+C1[c1+8]*aB,aU=C1[c1+6]*aw+C1[c1+7]*az+C1[c1+8]*aC,aV=C1[c1+6]*ax+C1[c1+7]*aA+C1[c1+8]*aD,aW=C1[c1+0]*aE+C1[c1+1]*aF+C1[c1+2]*aG-C1[c1+9],aX=C1[c1+10]+(C1[c1+3]*aE+C1[c1+4]*aF+C1[c1+5]*aG),aY=C1[c1+11]+(C1[c1+6]*aE+C1[c1+7]*aF+C1[c1+8]*aG);
C0[o0+0]=-aH;
C0[o0+1]=aI;
C0[o0+2]=-aJ;
C0[o0+3]=-aK;
C0[o0+4]=aL;
C0[o0+5]=aM;
C1[o1+0]=aN;
C1[o1+1]=aO;
C1[o1+2]=aP;
C1[o1+3]=aQ;
C1[o1+4]=aR;
C1[o1+5]=aS;
C1[o1+6]=aT;
C1[o1+7]=aU;
C1[o1+8]=aV;
C1[o1+9]=-aW;
C1[o1+10]=aX;
C1[o1+11]=aY;
g[0]+=aH*(D[d+36]*aH+D[d+37]*aI+D[d+38]*aJ-D[d+42]*aL+D[d+43]*aM)+aI*(D[d+37]*aH+D[d+39]*aI+D[d+40]*aJ+D[d+42]*aK-D[d+44]*aM)+aJ*(D[d+38]*aH+D[d+40]*aI+D[d+41]*aJ-D[d+43]*aK+D[d+44]*aL)+aK*(D[d+42]*aI-D[d+43]*aJ+D[d+34]*aK)+aL*(D[d+44]*aJ-D[d+42]*aH+D[d+34]*aL)+aM*(D[d+43]*aH-D[d+44]*aI+D[d+34]*aM);
g[1]+=D[d+35]*in1[v]*in1[v];
g[4]+=D[d+45]*(aW+(aN*D[d+31]+aO*D[d+32]+aP*D[d+33]))+D[d+46]*(aX+(aQ*D[d+31]+aR*D[d+32]+aS*D[d+33]))+D[d+47]*(aY+(aT*D[d+31]+aU*D[d+32]+aV*D[d+33]));
}
function energies_run(sizes,tree,D,G,inputs,outputs,w){
const [n,nq,nv,keep]=sizes;
let size=keep;
const in0=inputs[0],in1=inputs[1],out0=outputs[0],out1=outputs[1],out2=outputs[2];
const C0=w.subarray(size,size+(n+1)*6); size+=(n+1)*6;
const C1=w.subarray(size,size+(n+1)*12); size+=(n+1)*12;
const g=w.subarray(size,size+6),K=(link)=>tree[6*link+3];
g[0]=0;
g[1]=0;
g[4]=0;
C0[0]=0;
C0[1]=0;
C0[2]=0;
C0[3]=0;
C0[4]=0;
C0[5]=0;
C1[0]=1;
C1[1]=0;
C1[2]=0;
C1[3]=0;
C1[4]=1;
C1[5]=0;
C1[6]=0;
C1[7]=0;
C1[8]=1;
C1[9]=0;
C1[10]=0;
C1[11]=0;
for(let i=0;i<n;i++){const t=6*i;
if(tree[t+1]===0) energies_run_0_1(D,G,in0,in1,out0,out1,out2,C0,C1,w,g,n,nq,nv,i,tree[t+2],tree[t+3],tree[t+4],tree[t+5],(tree[t]+1)*6,(i+1)*6,(tree[t]+1)*12,(i+1)*12);
}
out0[0]=(g[0]+g[1])*0.5;
out1[0]=-g[4];
}
const ENERGIES={keep:0,carried:18,kept:6,inputs:[null, null],rows:["one", "one"],outputs:[[], [], [0]],run:energies_run};
