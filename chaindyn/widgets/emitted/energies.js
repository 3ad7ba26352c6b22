// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
function energies_run_0_1(D,G,in0,in1,out0,out1,out2,C0,C1,w,g,n,nq,nv,i,d,k,q,v,c0,o0,c1,o1){
const a=D[d+20]*in0[q],aa=Math.cos(a),ab=Math.sin(a),ac=aa*D[d+37],ad=aa*D[d+38],ae=aa*D[d+40],af=ab*D[d+19],ag=ab*D[d+18],ah=ab*D[d+17],ai=aa*D[d+42]+D[d+36],aj=D[d+37]-(ac+af),ak=ag-ad+D[d+38],al=af-ac+D[d+37],am=aa*D[d+43]+D[d+39],an=D[d+40]-(ae+ah),ao=D[d+38]-(ad+ag),ap=ah-ae+D[d+40],aq=aa*D[d+44]+D[d+41],ar=D[d+33]*in0[q],at=D[d+34]*in0[q],au=D[d+35]*in0[q],av=D[d+0]*ai+D[d+1]*al+D[d+2]*ao,aw=D[d+0]*aj+D[d+1]*am+D[d+2]*ap,ax=D[d+0]*ak+D[d+1]*an+D[d+2]*aq,ay=D[d+3]*ai+D[d+4]*al+D[d+5]*ao,az=D[d+3]*aj+D[d+4]*am+D[d+5]*ap,aA=D[d+3]*ak+D[d+4]*an+D[d+5]*aq,aB=D[d+6]*ai+D[d+7]*al+D[d+8]*ao,aC=D[d+6]*aj+D[d+7]*am+D[d+8]*ap,aD=D[d+6]*ak+D[d+7]*an+D[d+8]*aq,aE=D[d+9]+(D[d+0]*ar+D[d+1]*at+D[d+2]*au),aF=D[d+10]+(D[d+3]*ar+D[d+4]*at+D[d+5]*au),aG=D[d+11]+(D[d+6]*ar+D[d+7]*at+D[d+8]*au),aH=av*C0[c0+0]+ay*C0[c0+1]-aB*C0[c0+2]+D[d+30]*in1[v],aI=aw*C0[c0+0]+az*C0[c0+1]-aC*C0[c0+2]+D[d+31]*in1[v],aJ=ax*C0[c0+0]+aA*C0[c0+1]-aD*C0[c0+2]+D[d+32]*in1[v],aK=(aB*aF-ay*aG)*C0[c0+0]+(av*aG-aB*aE)*C0[c0+1]-(ay*aE-av*aF)*C0[c0+2]-av*C0[c0+3]+ay*C0[c0+4]+aB*C0[c0+5]+D[d+33]*in1[v],aL=(aC*aF-az*aG)*C0[c0+0]+(aw*aG-aC*aE)*C0[c0+1]-(az*aE-aw*aF)*C0[c0+2]-aw*C0[c0+3]+az*C0[c0+4]+aC*C0[c0+5]+D[d+34]*in1[v],aM=(aD*aF-aA*aG)*C0[c0+0]+(ax*aG-aD*aE)*C0[c0+1]-(aA*aE-ax*aF)*C0[c0+2]-ax*C0[c0+3]+aA*C0[c0+4]+aD*C0[c0+5]+D[d+35]*in1[v],aN=C1[c1+0]*av+C1[c1+1]*ay-C1[c1+2]*aB,aO=C1[c1+0]*aw+C1[c1+1]*az-C1[c1+2]*aC,aP=C1[c1+0]*ax+C1[c1+1]*aA-C1[c1+2]*aD,aQ=C1[c1+4]*ay-C1[c1+3]*av+C1[c1+5]*aB,aR=C1[c1+4]*az-C1[c1+3]*aw+C1[c1+5]*aC,aS=C1[c1+4]*aA-C1[c1+3]*ax+C1[c1+5]*aD,aT=C1[c1+6]*av+C1[c1+7]*ay+C1[c1+8]*aB,aU=C1[c1+6]*aw+C1[c1+7]*az+C1[c1+8]*aC,aV=C1[c1+6]*ax+C1[c1+7]*aA+C1[c1+8]*aD,aW=C1[c1+9]+(C1[c1+0]*aE+C1[c1+1]*aF-C1[c1+2]*aG),aX=C1[c1+4]*aF-C1[c1+3]*aE+C1[c1+5]*aG-C1[c1+10],aY=C1[c1+6]*aE+C1[c1+7]*aF+C1[c1+8]*aG-C1[c1+11];
C0[o0+0]=aH;
C0[o0+1]=aI;
C0[o0+2]=-aJ;
C0[o0+3]=-aK;
C0[o0+4]=aL;
C0[o0+5]=aM;
C1[o1+0]=aN;
C1[o1+1]=aO;
C1[o1+2]=-aP;
C1[o1+3]=-aQ;
C1[o1+4]=aR;
C1[o1+5]=aS;
C1[o1+6]=aT;
C1[o1+7]=aU;
C1[o1+8]=aV;
C1[o1+9]=aW;
C1[o1+10]=-aX;
C1[o1+11]=-aY;
g[0]+=aH*(D[d+21]*aH+D[d+22]*aI+D[d+23]*aJ-D[d+27]*aL+D[d+28]*aM)+aI*(D[d+22]*aH+D[d+24]*aI+D[d+25]*aJ+D[d+27]*aK-D[d+29]*aM)+aJ*(D[d+23]*aH+D[d+25]*aI+D[d+26]*aJ-D[d+28]*aK+D[d+29]*aL)+aK*(D[d+27]*aI-D[d+28]*aJ+D[d+12]*aK)+aL*(D[d+29]*aJ-D[d+27]*aH+D[d+12]*aL)+aM*(D[d+28]*aH-D[d+29]*aI+D[d+12]*aM);
g[1]+=D[d+16]*in1[v]*in1[v];
g[4]+=D[d+45]*(aW+(aN*D[d+13]+aO*D[d+14]+aP*D[d+15]))+D[d+46]*(aX+(aQ*D[d+13]+aR*D[d+14]+aS*D[d+15]))+D[d+47]*(aY+(aT*D[d+13]+aU*D[d+14]+aV*D[d+15]));
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
const ENERGIES={data:48,keep:0,carried:18,kept:6,shared:1,inputs:[null, null],rows:["one", "one"],outputs:[[], [], [0]],model:(t,i,D,d)=>{const a=t.com[i][2]*t.com[i][2];const aa=t.com[i][1]*t.com[i][1];const ab=t.com[i][0]*t.com[i][0];const ac=t.axis[i][0]*t.axis[i][0];const ad=t.axis[i][1]*t.axis[i][1];const ae=t.axis[i][2]*t.axis[i][2];D[d+0]=t.rotation[i][0][0];D[d+1]=t.rotation[i][0][1];D[d+2]=t.rotation[i][0][2];D[d+3]=t.rotation[i][1][0];D[d+4]=t.rotation[i][1][1];D[d+5]=t.rotation[i][1][2];D[d+6]=t.rotation[i][2][0];D[d+7]=t.rotation[i][2][1];D[d+8]=t.rotation[i][2][2];D[d+9]=t.offset[i][0];D[d+10]=t.offset[i][1];D[d+11]=t.offset[i][2];D[d+12]=t.mass[i];D[d+13]=t.com[i][0];D[d+14]=t.com[i][1];D[d+15]=t.com[i][2];D[d+16]=t.reflected_inertia[i][0];D[d+17]=t.axis[i][0];D[d+18]=t.axis[i][1];D[d+19]=t.axis[i][2];D[d+20]=t.turn[i];D[d+21]=t.inertia[i][0][0]+t.mass[i]*(a+aa);D[d+22]=t.inertia[i][0][1]-t.mass[i]*(t.com[i][1]*t.com[i][0]);D[d+23]=t.inertia[i][0][2]-t.mass[i]*(t.com[i][2]*t.com[i][0]);D[d+24]=t.inertia[i][1][1]+t.mass[i]*(a+ab);D[d+25]=t.inertia[i][1][2]-t.mass[i]*(t.com[i][2]*t.com[i][1]);D[d+26]=t.inertia[i][2][2]+t.mass[i]*(aa+ab);D[d+27]=t.mass[i]*t.com[i][2];D[d+28]=t.mass[i]*t.com[i][1];D[d+29]=t.mass[i]*t.com[i][0];D[d+30]=t.turn[i]*t.axis[i][0];D[d+31]=t.turn[i]*t.axis[i][1];D[d+32]=t.turn[i]*t.axis[i][2];D[d+33]=t.slide[i]*t.axis[i][0];D[d+34]=t.slide[i]*t.axis[i][1];D[d+35]=t.slide[i]*t.axis[i][2];D[d+36]=ac;D[d+37]=t.axis[i][0]*t.axis[i][1];D[d+38]=t.axis[i][0]*t.axis[i][2];D[d+39]=ad;D[d+40]=t.axis[i][1]*t.axis[i][2];D[d+41]=ae;D[d+42]=1.0-ac;D[d+43]=1.0-ad;D[d+44]=1.0-ae;D[d+45]=t.mass[i]*t.gravity[0];D[d+46]=t.mass[i]*t.gravity[1];D[d+47]=t.mass[i]*t.gravity[2];},common:(t,G)=>{},run:energies_run};
