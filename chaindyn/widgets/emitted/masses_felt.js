// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
function masses_felt_run_0_1(D,G,in0,out0,out1,out2,w,g,n,nq,nv,i,d,o,p,q,v){
const a=D[d+15]*in0[q],aa=Math.cos(a),ab=Math.sin(a),ac=aa*D[d+17],ad=aa*D[d+18],ae=aa*D[d+20],af=ab*D[d+14],ag=ab*D[d+13],ah=ab*D[d+12],ai=aa*D[d+22]+D[d+16],aj=D[d+17]-(ac+af),ak=ag-ad+D[d+18],al=af-ac+D[d+17],am=aa*D[d+23]+D[d+19],an=D[d+20]-(ae+ah),ao=D[d+18]-(ad+ag),ap=ah-ae+D[d+20],aq=aa*D[d+24]+D[d+21],ar=D[d+25]*in0[q],at=D[d+26]*in0[q],au=D[d+27]*in0[q],av=D[d+0]*ai+D[d+1]*al+D[d+2]*ao;
w[o+30]=av;
const aw=D[d+0]*aj+D[d+1]*am+D[d+2]*ap;
w[o+31]=aw;
const ax=D[d+0]*ak+D[d+1]*an+D[d+2]*aq;
w[o+32]=ax;
const ay=D[d+3]*ai+D[d+4]*al+D[d+5]*ao;
w[o+33]=ay;
const az=D[d+3]*aj+D[d+4]*am+D[d+5]*ap;
w[o+34]=az;
const aA=D[d+3]*ak+D[d+4]*an+D[d+5]*aq;
w[o+35]=aA;
const aB=D[d+6]*ai+D[d+7]*al+D[d+8]*ao;
w[o+36]=aB;
const aC=D[d+6]*aj+D[d+7]*am+D[d+8]*ap;
w[o+37]=aC;
const aD=D[d+6]*ak+D[d+7]*an+D[d+8]*aq;
w[o+38]=aD;
const aE=D[d+9]+(D[d+0]*ar+D[d+1]*at+D[d+2]*au);
w[o+39]=aE;
const aF=D[d+10]+(D[d+3]*ar+D[d+4]*at+D[d+5]*au);
w[o+40]=aF;
const aG=D[d+11]+(D[d+6]*ar+D[d+7]*at+D[d+8]*au);
w[o+41]=aG;
const aH=w[p+21]*av+w[p+22]*ay+w[p+23]*aB;
w[o+43]=aH;
const aI=w[p+21]*aw+w[p+22]*az+w[p+23]*aC;
w[o+44]=aI;
const aJ=w[p+21]*ax+w[p+22]*aA+w[p+23]*aD;
w[o+45]=aJ;
const aK=w[p+24]*av+w[p+25]*ay+w[p+26]*aB;
w[o+46]=aK;
const aL=w[p+24]*aw+w[p+25]*az+w[p+26]*aC;
w[o+47]=aL;
const aM=w[p+24]*ax+w[p+25]*aA+w[p+26]*aD;
w[o+48]=aM;
const aN=w[p+27]*av+w[p+28]*ay+w[p+29]*aB;
w[o+49]=aN;
const aO=w[p+27]*aw+w[p+28]*az+w[p+29]*aC;
w[o+50]=aO;
const aP=w[p+27]*ax+w[p+28]*aA+w[p+29]*aD;
w[o+51]=aP;
w[o+21]=aH;
w[o+22]=aI;
w[o+23]=aJ;
w[o+24]=aK;
w[o+25]=aL;
w[o+26]=aM;
w[o+27]=aN;
w[o+28]=aO;
w[o+29]=aP;
g[2]=Math.max(g[2],aE*aE+aF*aF+aG*aG);
}
function masses_felt_run_0_2(D,G,in0,out0,out1,out2,w,g,n,nq,nv,i,d,o,p,q,v){
const a=w[o+36]*w[o+40]-w[o+33]*w[o+41],aa=w[o+30]*w[o+41]-w[o+36]*w[o+39],ab=w[o+33]*w[o+39]-w[o+30]*w[o+40],ac=w[o+37]*w[o+40]-w[o+34]*w[o+41],ad=w[o+31]*w[o+41]-w[o+37]*w[o+39],ae=w[o+34]*w[o+39]-w[o+31]*w[o+40],af=w[o+38]*w[o+40]-w[o+35]*w[o+41],ag=w[o+32]*w[o+41]-w[o+38]*w[o+39],ah=w[o+35]*w[o+39]-w[o+32]*w[o+40],ai=D[d+36]+w[o+0],aj=D[d+37]+w[o+1],ak=D[d+38]+w[o+2],al=w[o+4]-D[d+42],am=D[d+43]+w[o+5],an=D[d+39]+w[o+6],ao=D[d+40]+w[o+7],ap=D[d+42]+w[o+8],aq=w[o+10]-D[d+44],ar=D[d+41]+w[o+11],at=w[o+12]-D[d+43],au=D[d+44]+w[o+13],av=D[d+34]+w[o+15],aw=D[d+34]+w[o+18],ax=D[d+34]+w[o+20],ay=D[d+28]*ai+D[d+29]*aj+D[d+30]*ak+D[d+25]*w[o+3]+D[d+26]*al+D[d+27]*am,az=D[d+28]*aj+D[d+29]*an+D[d+30]*ao+D[d+25]*ap+D[d+26]*w[o+9]+D[d+27]*aq,aA=D[d+28]*ak+D[d+29]*ao+D[d+30]*ar+D[d+25]*at+D[d+26]*au+D[d+27]*w[o+14],aB=D[d+28]*w[o+3]+D[d+29]*ap+D[d+30]*at+D[d+25]*av+D[d+26]*w[o+16]+D[d+27]*w[o+17],aC=D[d+28]*al+D[d+29]*w[o+9]+D[d+30]*au+D[d+25]*w[o+16]+D[d+26]*aw+D[d+27]*w[o+19],aD=D[d+28]*am+D[d+29]*aq+D[d+30]*w[o+14]+D[d+25]*w[o+17]+D[d+26]*w[o+19]+D[d+27]*ax,aE=w[o+30]*ai+w[o+31]*aj+w[o+32]*ak+a*w[o+3]+ac*al+af*am,aF=w[o+30]*aj+w[o+31]*an+w[o+32]*ao+a*ap+ac*w[o+9]+af*aq,aG=w[o+30]*ak+w[o+31]*ao+w[o+32]*ar+a*at+ac*au+af*w[o+14],aH=w[o+30]*w[o+3]+w[o+31]*ap+w[o+32]*at+a*av+ac*w[o+16]+af*w[o+17],aI=w[o+30]*al+w[o+31]*w[o+9]+w[o+32]*au+a*w[o+16]+ac*aw+af*w[o+19],aJ=w[o+30]*am+w[o+31]*aq+w[o+32]*w[o+14]+a*w[o+17]+ac*w[o+19]+af*ax,aK=w[o+33]*ai+w[o+34]*aj+w[o+35]*ak+aa*w[o+3]+ad*al+ag*am,aL=w[o+33]*aj+w[o+34]*an+w[o+35]*ao+aa*ap+ad*w[o+9]+ag*aq,aM=w[o+33]*ak+w[o+34]*ao+w[o+35]*ar+aa*at+ad*au+ag*w[o+14],aN=w[o+33]*w[o+3]+w[o+34]*ap+w[o+35]*at+aa*av+ad*w[o+16]+ag*w[o+17],aO=w[o+33]*al+w[o+34]*w[o+9]+w[o+35]*au+aa*w[o+16]+ad*aw+ag*w[o+19],aP=w[o+33]*am+w[o+34]*aq+w[o+35]*w[o+14]+aa*w[o+17]+ad*w[o+19]+ag*ax,aQ=w[o+36]*w[o+3]+w[o+37]*ap+w[o+38]*at+ab*av+ae*w[o+16]+ah*w[o+17],aR=w[o+36]*al+w[o+37]*w[o+9]+w[o+38]*au+ab*w[o+16]+ae*aw+ah*w[o+19],aS=w[o+36]*am+w[o+37]*aq+w[o+38]*w[o+14]+ab*w[o+17]+ae*w[o+19]+ah*ax,aT=w[o+30]*av+w[o+31]*w[o+16]+w[o+32]*w[o+17],aU=w[o+30]*w[o+16]+w[o+31]*aw+w[o+32]*w[o+19],aV=w[o+30]*w[o+17]+w[o+31]*w[o+19]+w[o+32]*ax,aW=w[o+33]*av+w[o+34]*w[o+16]+w[o+35]*w[o+17],aX=w[o+33]*w[o+16]+w[o+34]*aw+w[o+35]*w[o+19],aY=w[o+33]*w[o+17]+w[o+34]*w[o+19]+w[o+35]*ax,aZ=ay*w[o+30]+az*w[o+31]+aA*w[o+32]+aB*a+aC*ac+aD*af,b=ay*w[o+33]+az*w[o+34]+aA*w[o+35]+aB*aa+aC*ad+aD*ag,ba=ay*w[o+36]+az*w[o+37]+aA*w[o+38]+aB*ab+aC*ae+aD*ah,bb=aB*w[o+30]+aC*w[o+31]+aD*w[o+32],bc=aB*w[o+33]+aC*w[o+34]+aD*w[o+35],bd=aB*w[o+36]+aC*w[o+37]+aD*w[o+38],be=ay*D[d+28]+az*D[d+29]+aA*D[d+30]+aB*D[d+25]+aC*D[d+26]+aD*D[d+27]+D[d+35];
w[o+42]=be;
const bf=1/be,bg=aZ*bf,bh=b*bf,bi=ba*bf,bj=bb*bf,bk=bc*bf,bl=bd*bf,bm=aC*bf,bn=aD*bf,bo=av-aB*(aB*bf),bp=w[o+16]-aB*bm,bq=w[o+17]-aB*bn,br=aw-aC*bm,bs=w[o+19]-aC*bn,bt=ax-aD*bn,bu=w[o+43]*bo+w[o+44]*bp+w[o+45]*bq,bv=w[o+43]*bp+w[o+44]*br+w[o+45]*bs,bw=w[o+43]*bq+w[o+44]*bs+w[o+45]*bt,bx=w[o+46]*bo+w[o+47]*bp+w[o+48]*bq,by=w[o+46]*bp+w[o+47]*br+w[o+48]*bs,bz=w[o+46]*bq+w[o+47]*bs+w[o+48]*bt,bA=bu*w[o+46]+bv*w[o+47]+bw*w[o+48],bB=bu*w[o+49]+bv*w[o+50]+bw*w[o+51],bC=bx*w[o+49]+by*w[o+50]+bz*w[o+51];
w[p+0]+=aE*w[o+30]+aF*w[o+31]+aG*w[o+32]+aH*a+aI*ac+aJ*af-aZ*bg;
w[p+1]+=aE*w[o+33]+aF*w[o+34]+aG*w[o+35]+aH*aa+aI*ad+aJ*ag-aZ*bh;
w[p+2]+=aE*w[o+36]+aF*w[o+37]+aG*w[o+38]+aH*ab+aI*ae+aJ*ah-aZ*bi;
w[p+3]+=aH*w[o+30]+aI*w[o+31]+aJ*w[o+32]-aZ*bj;
w[p+4]+=aH*w[o+33]+aI*w[o+34]+aJ*w[o+35]-aZ*bk;
w[p+5]+=aH*w[o+36]+aI*w[o+37]+aJ*w[o+38]-aZ*bl;
w[p+6]+=aK*w[o+33]+aL*w[o+34]+aM*w[o+35]+aN*aa+aO*ad+aP*ag-b*bh;
w[p+7]+=aK*w[o+36]+aL*w[o+37]+aM*w[o+38]+aN*ab+aO*ae+aP*ah-b*bi;
w[p+8]+=aN*w[o+30]+aO*w[o+31]+aP*w[o+32]-b*bj;
w[p+9]+=aN*w[o+33]+aO*w[o+34]+aP*w[o+35]-b*bk;
w[p+10]+=aN*w[o+36]+aO*w[o+37]+aP*w[o+38]-b*bl;
w[p+11]+=(w[o+36]*ai+w[o+37]*aj+w[o+38]*ak+ab*w[o+3]+ae*al+ah*am)*w[o+36]+(w[o+36]*aj+w[o+37]*an+w[o+38]*ao+ab*ap+ae*w[o+9]+ah*aq)*w[o+37]+(w[o+36]*ak+w[o+37]*ao+w[o+38]*ar+ab*at+ae*au+ah*w[o+14])*w[o+38]+aQ*ab+aR*ae+aS*ah-ba*bi;
w[p+12]+=aQ*w[o+30]+aR*w[o+31]+aS*w[o+32]-ba*bj;
w[p+13]+=aQ*w[o+33]+aR*w[o+34]+aS*w[o+35]-ba*bk;
w[p+14]+=aQ*w[o+36]+aR*w[o+37]+aS*w[o+38]-ba*bl;
w[p+15]+=aT*w[o+30]+aU*w[o+31]+aV*w[o+32]-bb*bj;
w[p+16]+=aT*w[o+33]+aU*w[o+34]+aV*w[o+35]-bb*bk;
w[p+17]+=aT*w[o+36]+aU*w[o+37]+aV*w[o+38]-bb*bl;
w[p+18]+=aW*w[o+33]+aX*w[o+34]+aY*w[o+35]-bc*bk;
w[p+19]+=aW*w[o+36]+aX*w[o+37]+aY*w[o+38]-bc*bl;
w[p+20]+=(w[o+36]*av+w[o+37]*w[o+16]+w[o+38]*w[o+17])*w[o+36]+(w[o+36]*w[o+16]+w[o+37]*aw+w[o+38]*w[o+19])*w[o+37]+(w[o+36]*w[o+17]+w[o+37]*w[o+19]+w[o+38]*ax)*w[o+38]-bd*bl;
out0[i*9]=bu*w[o+43]+bv*w[o+44]+bw*w[o+45];
out0[i*9+1]=bA;
out0[i*9+2]=bB;
out0[i*9+3]=bA;
out0[i*9+4]=bx*w[o+46]+by*w[o+47]+bz*w[o+48];
out0[i*9+5]=bC;
out0[i*9+6]=bB;
out0[i*9+7]=bC;
out0[i*9+8]=(w[o+49]*bo+w[o+50]*bp+w[o+51]*bq)*w[o+49]+(w[o+49]*bp+w[o+50]*br+w[o+51]*bs)*w[o+50]+(w[o+49]*bq+w[o+50]*bs+w[o+51]*bt)*w[o+51];
out1[i*13]=be;
out1[i*13+1]=bg;
out1[i*13+2]=bh;
out1[i*13+3]=bi;
out1[i*13+4]=bj;
out1[i*13+5]=bk;
out1[i*13+6]=bl;
out1[i*13+7]=ai;
out1[i*13+8]=an;
out1[i*13+9]=ar;
out1[i*13+10]=av;
out1[i*13+11]=aw;
out1[i*13+12]=ax;
g[0]=Math.max(g[0],Math.max(Math.max(ai,an),ar));
g[1]=Math.max(g[1],Math.max(Math.max(av,aw),ax));
}
function masses_felt_run_0_3(D,G,in0,out0,out1,out2,w,g,n,nq,nv,i,d,o,p,q,v){
g[5]=Math.min(g[5],w[o+42]-(D[d+45]*g[4]+D[d+46]*g[1])*1e-10);
}
function masses_felt_run(sizes,tree,D,G,inputs,outputs,w){
const [n,nq,nv,keep]=sizes,K=(link)=>tree[6*link+3];
const in0=inputs[0],out0=outputs[0],out1=outputs[1],out2=outputs[2],g=w.subarray(keep);
w.fill(0,0,21);for(let i=0;i<n;i++)w.fill(0,K(i),K(i)+21);
g[0]=(-Infinity);
g[1]=(-Infinity);
g[2]=(-Infinity);
g[5]=Infinity;
w[21]=1;
w[22]=0;
w[23]=0;
w[24]=0;
w[25]=1;
w[26]=0;
w[27]=0;
w[28]=0;
w[29]=1;
for(let i=0;i<n;i++){const t=6*i,p=tree[t]<0?0:K(tree[t]);
if(tree[t+1]===0) masses_felt_run_0_1(D,G,in0,out0,out1,out2,w,g,n,nq,nv,i,tree[t+2],tree[t+3],p,tree[t+4],tree[t+5]);
}
for(let i=n-1;i>=0;i--){const t=6*i,p=tree[t]<0?0:K(tree[t]);
if(tree[t+1]===0) masses_felt_run_0_2(D,G,in0,out0,out1,out2,w,g,n,nq,nv,i,tree[t+2],tree[t+3],p,tree[t+4],tree[t+5]);
}
g[4]=g[0]+g[1]*g[2];
for(let i=0;i<n;i++){const t=6*i,p=tree[t]<0?0:K(tree[t]);
if(tree[t+1]===0) masses_felt_run_0_3(D,G,in0,out0,out1,out2,w,g,n,nq,nv,i,tree[t+2],tree[t+3],p,tree[t+4],tree[t+5]);
}
out2[0]=g[5];
}
export const MASSES_FELT={keep:52,carried:30,kept:6,inputs:[null],rows:["links", "kept"],outputs:[["n", 3, 3], ["n", 1, 13], [1]],run:masses_felt_run};
