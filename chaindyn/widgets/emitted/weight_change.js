// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
// @ts-nocheck: operations are written as they were recorded, choices that are settled too
function weight_change_run_0_1(D,G,in0,in1,out0,out1,w,g,n,nq,nv,i,d,o,p,q,v){
const a=D[d+15]*in0[q],aa=Math.cos(a),ab=Math.sin(a),ac=aa*D[d+17],ad=aa*D[d+18],ae=aa*D[d+20],af=ab*D[d+14],ag=ab*D[d+13],ah=ab*D[d+12],ai=aa*D[d+22]+D[d+16],aj=D[d+17]-(ac+af),ak=ag-ad+D[d+18],al=af-ac+D[d+17],am=aa*D[d+23]+D[d+19],an=D[d+20]-(ae+ah),ao=D[d+18]-(ad+ag),ap=ah-ae+D[d+20],aq=aa*D[d+24]+D[d+21],ar=D[d+0]*ai+D[d+1]*al+D[d+2]*ao;
w[o+18]=ar;
const at=D[d+0]*aj+D[d+1]*am+D[d+2]*ap;
w[o+19]=at;
const au=D[d+0]*ak+D[d+1]*an+D[d+2]*aq;
w[o+20]=au;
const av=D[d+3]*ai+D[d+4]*al+D[d+5]*ao;
w[o+21]=av;
const aw=D[d+3]*aj+D[d+4]*am+D[d+5]*ap;
w[o+22]=aw;
const ax=D[d+3]*ak+D[d+4]*an+D[d+5]*aq;
w[o+23]=ax;
const ay=D[d+6]*ai+D[d+7]*al+D[d+8]*ao;
w[o+24]=ay;
const az=D[d+6]*aj+D[d+7]*am+D[d+8]*ap;
w[o+25]=az;
const aA=D[d+6]*ak+D[d+7]*an+D[d+8]*aq;
w[o+26]=aA;
const aB=ar*w[p+12]+av*w[p+13]+ay*w[p+14],aC=at*w[p+12]+aw*w[p+13]+az*w[p+14],aD=au*w[p+12]+ax*w[p+13]+aA*w[p+14];
w[o+27]=D[d+42]*aC-D[d+43]*aD;
w[o+28]=D[d+44]*aD-D[d+42]*aB;
w[o+29]=D[d+43]*aB-D[d+44]*aC;
w[o+30]=D[d+34]*aB;
w[o+31]=D[d+34]*aC;
w[o+32]=D[d+34]*aD;
const aE=D[d+15]*in1[v],aF=ab*aE,aG=aa*aE,aH=aF*D[d+22],aI=aF*D[d+17],aJ=aF*D[d+18],aK=aF*D[d+23],aL=aF*D[d+20],aM=aF*D[d+24],aN=aG*D[d+14],aO=aG*D[d+13],aP=aG*D[d+12],aQ=aN-aI,aR=aO+aJ,aS=aN+aI,aT=aP-aL,aU=aO-aJ,aV=aP+aL,aW=D[d+1]*aS-D[d+0]*aH-D[d+2]*aU;
w[o+33]=aW;
const aX=D[d+2]*aV-(D[d+0]*aQ+D[d+1]*aK);
w[o+34]=aX;
const aY=D[d+0]*aR-D[d+1]*aT-D[d+2]*aM;
w[o+35]=aY;
const aZ=D[d+4]*aS-D[d+3]*aH-D[d+5]*aU;
w[o+36]=aZ;
const b=D[d+5]*aV-(D[d+3]*aQ+D[d+4]*aK);
w[o+37]=b;
const ba=D[d+3]*aR-D[d+4]*aT-D[d+5]*aM;
w[o+38]=ba;
const bb=D[d+7]*aS-D[d+6]*aH-D[d+8]*aU;
w[o+39]=bb;
const bc=D[d+8]*aV-(D[d+6]*aQ+D[d+7]*aK);
w[o+40]=bc;
const bd=D[d+6]*aR-D[d+7]*aT-D[d+8]*aM;
w[o+41]=bd;
const be=aW*w[p+12]+ar*w[p+15]+(aZ*w[p+13]+av*w[p+16])+(bb*w[p+14]+ay*w[p+17]),bf=aX*w[p+12]+at*w[p+15]+(b*w[p+13]+aw*w[p+16])+(bc*w[p+14]+az*w[p+17]),bg=aY*w[p+12]+au*w[p+15]+(ba*w[p+13]+ax*w[p+16])+(bd*w[p+14]+aA*w[p+17]);
w[o+42]=D[d+42]*bf-D[d+43]*bg;
w[o+43]=D[d+44]*bg-D[d+42]*be;
w[o+44]=D[d+43]*be-D[d+44]*bf;
w[o+45]=D[d+34]*be;
w[o+46]=D[d+34]*bf;
w[o+47]=D[d+34]*bg;
w[o+12]=aB;
w[o+13]=aC;
w[o+14]=aD;
w[o+15]=be;
w[o+16]=bf;
w[o+17]=bg;
}
function weight_change_run_0_2(D,G,in0,in1,out0,out1,w,g,n,nq,nv,i,d,o,p,q,v){
const a=D[d+25]*in0[q],aa=D[d+26]*in0[q],ab=D[d+27]*in0[q],ac=D[d+9]+(D[d+0]*a+D[d+1]*aa+D[d+2]*ab),ad=D[d+10]+(D[d+3]*a+D[d+4]*aa+D[d+5]*ab),ae=D[d+11]+(D[d+6]*a+D[d+7]*aa+D[d+8]*ab),af=w[o+24]*ad-w[o+21]*ae,ag=w[o+18]*ae-w[o+24]*ac,ah=w[o+21]*ac-w[o+18]*ad,ai=w[o+25]*ad-w[o+22]*ae,aj=w[o+19]*ae-w[o+25]*ac,ak=w[o+22]*ac-w[o+19]*ad,al=w[o+26]*ad-w[o+23]*ae,am=w[o+20]*ae-w[o+26]*ac,an=w[o+23]*ac-w[o+20]*ad,ao=w[o+27]+w[o+0],ap=w[o+28]+w[o+1],aq=w[o+29]+w[o+2],ar=w[o+30]+w[o+3],at=w[o+31]+w[o+4],au=w[o+32]+w[o+5],av=D[d+25]*in1[v],aw=D[d+26]*in1[v],ax=D[d+27]*in1[v],ay=D[d+0]*av+D[d+1]*aw+D[d+2]*ax,az=D[d+3]*av+D[d+4]*aw+D[d+5]*ax,aA=D[d+6]*av+D[d+7]*aw+D[d+8]*ax,aB=w[o+42]+w[o+6],aC=w[o+43]+w[o+7],aD=w[o+44]+w[o+8],aE=w[o+45]+w[o+9],aF=w[o+46]+w[o+10],aG=w[o+47]+w[o+11];
w[p+0]+=w[o+18]*ao+w[o+19]*ap+w[o+20]*aq-af*ar-ai*at-al*au;
w[p+1]+=w[o+21]*ao+w[o+22]*ap+w[o+23]*aq-ag*ar-aj*at-am*au;
w[p+2]+=w[o+24]*ao+w[o+25]*ap+w[o+26]*aq-ah*ar-ak*at-an*au;
w[p+3]+=w[o+18]*ar+w[o+19]*at+w[o+20]*au;
w[p+4]+=w[o+21]*ar+w[o+22]*at+w[o+23]*au;
w[p+5]+=w[o+24]*ar+w[o+25]*at+w[o+26]*au;
w[p+6]+=w[o+33]*ao+w[o+18]*aB+(w[o+34]*ap+w[o+19]*aC)+(w[o+35]*aq+w[o+20]*aD)-((w[o+39]*ad+w[o+24]*az-(w[o+36]*ae+w[o+21]*aA))*ar+af*aE)-((w[o+40]*ad+w[o+25]*az-(w[o+37]*ae+w[o+22]*aA))*at+ai*aF)-((w[o+41]*ad+w[o+26]*az-(w[o+38]*ae+w[o+23]*aA))*au+al*aG);
w[p+7]+=w[o+36]*ao+w[o+21]*aB+(w[o+37]*ap+w[o+22]*aC)+(w[o+38]*aq+w[o+23]*aD)-((w[o+33]*ae+w[o+18]*aA-(w[o+39]*ac+w[o+24]*ay))*ar+ag*aE)-((w[o+34]*ae+w[o+19]*aA-(w[o+40]*ac+w[o+25]*ay))*at+aj*aF)-((w[o+35]*ae+w[o+20]*aA-(w[o+41]*ac+w[o+26]*ay))*au+am*aG);
w[p+8]+=w[o+39]*ao+w[o+24]*aB+(w[o+40]*ap+w[o+25]*aC)+(w[o+41]*aq+w[o+26]*aD)-((w[o+36]*ac+w[o+21]*ay-(w[o+33]*ad+w[o+18]*az))*ar+ah*aE)-((w[o+37]*ac+w[o+22]*ay-(w[o+34]*ad+w[o+19]*az))*at+ak*aF)-((w[o+38]*ac+w[o+23]*ay-(w[o+35]*ad+w[o+20]*az))*au+an*aG);
w[p+9]+=w[o+33]*ar+w[o+18]*aE+(w[o+34]*at+w[o+19]*aF)+(w[o+35]*au+w[o+20]*aG);
w[p+10]+=w[o+36]*ar+w[o+21]*aE+(w[o+37]*at+w[o+22]*aF)+(w[o+38]*au+w[o+23]*aG);
w[p+11]+=w[o+39]*ar+w[o+24]*aE+(w[o+40]*at+w[o+25]*aF)+(w[o+41]*au+w[o+26]*aG);
out0[i]=D[d+28]*aB+D[d+29]*aC+D[d+30]*aD-D[d+25]*aE-D[d+26]*aF-D[d+27]*aG;
}
function weight_change_run(sizes,tree,D,G,inputs,outputs,w){
const [n,nq,nv,keep]=sizes,K=(link)=>tree[6*link+3];
const in0=inputs[0],in1=inputs[1],out0=outputs[0],out1=outputs[1],g=w.subarray(keep);
w.fill(0,0,12);for(let i=0;i<n;i++)w.fill(0,K(i),K(i)+12);
w[12]=G[0];
w[13]=G[1];
w[14]=G[2];
w[15]=0;
w[16]=0;
w[17]=0;
for(let i=0;i<n;i++){const t=6*i,p=tree[t]<0?0:K(tree[t]);
if(tree[t+1]===0) weight_change_run_0_1(D,G,in0,in1,out0,out1,w,g,n,nq,nv,i,tree[t+2],tree[t+3],p,tree[t+4],tree[t+5]);
}
for(let i=n-1;i>=0;i--){const t=6*i,p=tree[t]<0?0:K(tree[t]);
if(tree[t+1]===0) weight_change_run_0_2(D,G,in0,in1,out0,out1,w,g,n,nq,nv,i,tree[t+2],tree[t+3],p,tree[t+4],tree[t+5]);
}
}
export const WEIGHT_CHANGE={keep:48,carried:18,kept:1,inputs:[null, null],rows:["joints"],outputs:[["n"], [0]],run:weight_change_run};
