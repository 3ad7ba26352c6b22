// Emitted by `python -m book physics` from the lines of the chapters: no edit here lasts.
function margins_run_0_2(D,G,in0,in1,out0,out1,C0,C1,w,g,n,nq,nv,i,d,k,q,v,c0,o0,c1,o1){
const a=D[d+28]*in1[v],aa=D[d+29]*in1[v],ab=D[d+30]*in1[v],ac=D[d+25]*in1[v],ad=D[d+26]*in1[v],ae=D[d+27]*in1[v],af=D[d+15]*in0[q],ag=Math.cos(af),ah=Math.sin(af),ai=ag*D[d+17],aj=ag*D[d+18],ak=ag*D[d+20],al=ah*D[d+14],am=ah*D[d+13],an=ah*D[d+12],ao=ag*D[d+22]+D[d+16],ap=D[d+17]-(ai+al),aq=am-aj+D[d+18],ar=al-ai+D[d+17],at=ag*D[d+23]+D[d+19],au=D[d+20]-(ak+an),av=D[d+18]-(aj+am),aw=an-ak+D[d+20],ax=ag*D[d+24]+D[d+21],ay=D[d+25]*in0[q],az=D[d+26]*in0[q],aA=D[d+27]*in0[q],aB=D[d+0]*ao+D[d+1]*ar+D[d+2]*av,aC=D[d+0]*ap+D[d+1]*at+D[d+2]*aw,aD=D[d+0]*aq+D[d+1]*au+D[d+2]*ax,aE=D[d+3]*ao+D[d+4]*ar+D[d+5]*av,aF=D[d+3]*ap+D[d+4]*at+D[d+5]*aw,aG=D[d+3]*aq+D[d+4]*au+D[d+5]*ax,aH=D[d+6]*ao+D[d+7]*ar+D[d+8]*av,aI=D[d+6]*ap+D[d+7]*at+D[d+8]*aw,aJ=D[d+6]*aq+D[d+7]*au+D[d+8]*ax,aK=D[d+9]+(D[d+0]*ay+D[d+1]*az+D[d+2]*aA),aL=D[d+10]+(D[d+3]*ay+D[d+4]*az+D[d+5]*aA),aM=D[d+11]+(D[d+6]*ay+D[d+7]*az+D[d+8]*aA),aN=aH*aL-aE*aM,aO=aB*aM-aH*aK,aP=aE*aK-aB*aL,aQ=aI*aL-aF*aM,aR=aC*aM-aI*aK,aS=aF*aK-aC*aL,aT=aJ*aL-aG*aM,aU=aD*aM-aJ*aK,aV=aG*aK-aD*aL,aW=D[d+36]-C0[o0+0],aX=D[d+37]-C0[o0+1],aY=D[d+38]-C0[o0+2],aZ=C0[o0+4]-D[d+42],b=D[d+43]+C0[o0+5],ba=D[d+39]+C0[o0+6],bb=D[d+40]+C0[o0+7],bc=D[d+42]+C0[o0+8],bd=D[d+44]+C0[o0+10],be=D[d+41]-C0[o0+11],bf=C0[o0+12]-D[d+43],bg=D[d+44]+C0[o0+13],bh=D[d+34]+C0[o0+15],bi=D[d+34]-C0[o0+18],bj=D[d+34]-C0[o0+20],bk=a*aW+aa*aX+ab*aY+ac*C0[o0+3]+ad*aZ+ae*b,bl=a*aX+aa*ba+ab*bb+ac*bc+ad*C0[o0+9]-ae*bd,bm=a*aY+aa*bb+ab*be+ac*bf+ad*bg-ae*C0[o0+14],bn=a*C0[o0+3]+aa*bc+ab*bf+ac*bh-ad*C0[o0+16]-ae*C0[o0+17],bo=a*aZ+aa*C0[o0+9]+ab*bg-ac*C0[o0+16]+ad*bi-ae*C0[o0+19],bp=a*b-aa*bd-ab*C0[o0+14]-ac*C0[o0+17]-ad*C0[o0+19]+ae*bj,bq=aB*aW,br=bq+aC*aX+aD*aY+aN*C0[o0+3]+aQ*aZ+aT*b,bs=aC*ba,bt=aB*aX+bs+aD*bb+aN*bc+aQ*C0[o0+9]-aT*bd,bu=aD*be,bv=aB*aY+aC*bb+bu+aN*bf+aQ*bg-aT*C0[o0+14],bw=aN*bh,bx=aB*C0[o0+3]+aC*bc+aD*bf+bw-aQ*C0[o0+16]-aT*C0[o0+17],by=aQ*bi,bz=aB*aZ+aC*C0[o0+9]+aD*bg-aN*C0[o0+16]+by-aT*C0[o0+19],bA=aT*bj,bB=aB*b-aC*bd-aD*C0[o0+14]-aN*C0[o0+17]-aQ*C0[o0+19]+bA,bC=aE*aW,bD=bC+aF*aX+aG*aY+aO*C0[o0+3]+aR*aZ+aU*b,bE=aF*ba,bF=aE*aX+bE+aG*bb+aO*bc+aR*C0[o0+9]-aU*bd,bG=aG*be,bH=aE*aY+aF*bb+bG+aO*bf+aR*bg-aU*C0[o0+14],bI=aO*bh,bJ=aE*C0[o0+3]+aF*bc+aG*bf+bI-aR*C0[o0+16]-aU*C0[o0+17],bK=aR*bi,bL=aE*aZ+aF*C0[o0+9]+aG*bg-aO*C0[o0+16]+bK-aU*C0[o0+19],bM=aU*bj,bN=aE*b-aF*bd-aG*C0[o0+14]-aO*C0[o0+17]-aR*C0[o0+19]+bM,bO=aH*aW,bP=aI*ba,bQ=aJ*be,bR=aP*bh,bS=aH*C0[o0+3]+aI*bc+aJ*bf+bR-aS*C0[o0+16]-aV*C0[o0+17],bT=aS*bi,bU=aH*aZ+aI*C0[o0+9]+aJ*bg-aP*C0[o0+16]+bT-aV*C0[o0+19],bV=aV*bj,bW=aH*b-aI*bd-aJ*C0[o0+14]-aP*C0[o0+17]-aS*C0[o0+19]+bV,bX=aB*bh,bY=bX-aC*C0[o0+16]-aD*C0[o0+17],bZ=aC*bi,e=bZ-aB*C0[o0+16]-aD*C0[o0+19],ea=aD*bj,eb=ea-(aB*C0[o0+17]+aC*C0[o0+19]),ec=aE*bh,ed=ec-aF*C0[o0+16]-aG*C0[o0+17],ee=aF*bi,ef=ee-aE*C0[o0+16]-aG*C0[o0+19],eg=aG*bj,eh=eg-(aE*C0[o0+17]+aF*C0[o0+19]),ei=aH*bh,ej=aI*bi,ek=aJ*bj,el=bk*aB+bl*aC+bm*aD+bn*aN+bo*aQ+bp*aT,em=bk*aE+bl*aF+bm*aG+bn*aO+bo*aR+bp*aU,en=bk*aH+bl*aI+bm*aJ+bn*aP+bo*aS+bp*aV,eo=bn*aB+bo*aC+bp*aD,ep=bn*aE+bo*aF+bp*aG,eq=bn*aH+bo*aI+bp*aJ,er=bk*a+bl*aa+bm*ab+bn*ac+bo*ad+bp*ae+(1-in1[v]),es=1/er,et=el*es,eu=em*es,ev=en*es,ew=eo*es,ex=ep*es,ey=eq*es,ez=a*ew,eA=a*ex,eB=a*ey,eC=aa*ew,eD=aa*ex,eE=aa*ey,eF=ab*ew,eG=ab*ex,eH=ab*ey,eI=aB-a*et,eJ=aE-a*eu,eK=aH-a*ev,eL=aC-aa*et,eM=aF-aa*eu,eN=aI-aa*ev,eO=aD-ab*et,eP=aG-ab*eu,eQ=aJ-ab*ev,eR=aN-ac*et,eS=aO-ac*eu,eT=aP-ac*ev,eU=aB-ac*ew,eV=aE-ac*ex,eW=aH-ac*ey,eX=aQ-ad*et,eY=aR-ad*eu,eZ=aS-ad*ev,f=aC-ad*ew,fa=aF-ad*ex,fb=aI-ad*ey,fc=aT-ae*et,fd=aU-ae*eu,fe=aV-ae*ev,ff=aD-ae*ew,fg=aG-ae*ex,fh=aJ-ae*ey,fi=C1[o1+0]+aW,fj=ba-C1[o1+6],fk=be-C1[o1+11],fl=C1[o1+15]+bh,fm=bi-C1[o1+18],fn=C1[o1+20]+bj,fo=eI*fi-eL*C1[o1+1]-eO*C1[o1+2]+eR*C1[o1+3]-eX*C1[o1+4]+fc*C1[o1+5],fp=eL*fj-eI*C1[o1+1]+eO*C1[o1+7]+eR*C1[o1+8]+eX*C1[o1+9]-fc*C1[o1+10],fq=eL*C1[o1+7]-eI*C1[o1+2]+eO*fk-eR*C1[o1+12]+eX*C1[o1+13]-fc*C1[o1+14],fr=eI*C1[o1+3]+eL*C1[o1+8]-eO*C1[o1+12]+eR*fl-eX*C1[o1+16]-fc*C1[o1+17],fs=eL*C1[o1+9]-eI*C1[o1+4]+eO*C1[o1+13]-eR*C1[o1+16]+eX*fm+fc*C1[o1+19],ft=eI*C1[o1+5]-eL*C1[o1+10]-eO*C1[o1+14]-eR*C1[o1+17]+eX*C1[o1+19]+fc*fn,fu=eJ*fi-eM*C1[o1+1]-eP*C1[o1+2]+eS*C1[o1+3]-eY*C1[o1+4]+fd*C1[o1+5],fv=eM*fj-eJ*C1[o1+1]+eP*C1[o1+7]+eS*C1[o1+8]+eY*C1[o1+9]-fd*C1[o1+10],fw=eM*C1[o1+7]-eJ*C1[o1+2]+eP*fk-eS*C1[o1+12]+eY*C1[o1+13]-fd*C1[o1+14],fx=eJ*C1[o1+3]+eM*C1[o1+8]-eP*C1[o1+12]+eS*fl-eY*C1[o1+16]-fd*C1[o1+17],fy=eM*C1[o1+9]-eJ*C1[o1+4]+eP*C1[o1+13]-eS*C1[o1+16]+eY*fm+fd*C1[o1+19],fz=eJ*C1[o1+5]-eM*C1[o1+10]-eP*C1[o1+14]-eS*C1[o1+17]+eY*C1[o1+19]+fd*fn,fA=eK*fi-eN*C1[o1+1]-eQ*C1[o1+2]+eT*C1[o1+3]-eZ*C1[o1+4]+fe*C1[o1+5],fB=eN*fj-eK*C1[o1+1]+eQ*C1[o1+7]+eT*C1[o1+8]+eZ*C1[o1+9]-fe*C1[o1+10],fC=eN*C1[o1+7]-eK*C1[o1+2]+eQ*fk-eT*C1[o1+12]+eZ*C1[o1+13]-fe*C1[o1+14],fD=eK*C1[o1+3]+eN*C1[o1+8]-eQ*C1[o1+12]+eT*fl-eZ*C1[o1+16]-fe*C1[o1+17],fE=eN*C1[o1+9]-eK*C1[o1+4]+eQ*C1[o1+13]-eT*C1[o1+16]+eZ*fm+fe*C1[o1+19],fF=eK*C1[o1+5]-eN*C1[o1+10]-eQ*C1[o1+14]-eT*C1[o1+17]+eZ*C1[o1+19]+fe*fn,fG=eC*C1[o1+1]-ez*fi+eF*C1[o1+2]+eU*C1[o1+3]-f*C1[o1+4]+ff*C1[o1+5],fH=ez*C1[o1+1]-eC*fj-eF*C1[o1+7]+eU*C1[o1+8]+f*C1[o1+9]-ff*C1[o1+10],fI=ez*C1[o1+2]-eC*C1[o1+7]-eF*fk-eU*C1[o1+12]+f*C1[o1+13]-ff*C1[o1+14],fJ=eF*C1[o1+12]-(ez*C1[o1+3]+eC*C1[o1+8])+eU*fl-f*C1[o1+16]-ff*C1[o1+17],fK=ez*C1[o1+4]-eC*C1[o1+9]-eF*C1[o1+13]-eU*C1[o1+16]+f*fm+ff*C1[o1+19],fL=eC*C1[o1+10]-ez*C1[o1+5]+eF*C1[o1+14]-eU*C1[o1+17]+f*C1[o1+19]+ff*fn,fM=eD*C1[o1+1]-eA*fi+eG*C1[o1+2]+eV*C1[o1+3]-fa*C1[o1+4]+fg*C1[o1+5],fN=eA*C1[o1+1]-eD*fj-eG*C1[o1+7]+eV*C1[o1+8]+fa*C1[o1+9]-fg*C1[o1+10],fO=eA*C1[o1+2]-eD*C1[o1+7]-eG*fk-eV*C1[o1+12]+fa*C1[o1+13]-fg*C1[o1+14],fP=eG*C1[o1+12]-(eA*C1[o1+3]+eD*C1[o1+8])+eV*fl-fa*C1[o1+16]-fg*C1[o1+17],fQ=eA*C1[o1+4]-eD*C1[o1+9]-eG*C1[o1+13]-eV*C1[o1+16]+fa*fm+fg*C1[o1+19],fR=eD*C1[o1+10]-eA*C1[o1+5]+eG*C1[o1+14]-eV*C1[o1+17]+fa*C1[o1+19]+fg*fn;
C0[c0+0]+=-(br*aB+bt*aC+bv*aD+bx*aN+bz*aQ+bB*aT-el*et);
C0[c0+1]+=-(br*aE+bt*aF+bv*aG+bx*aO+bz*aR+bB*aU-el*eu);
C0[c0+2]+=-(br*aH+bt*aI+bv*aJ+bx*aP+bz*aS+bB*aV-el*ev);
C0[c0+3]+=bx*aB+bz*aC+bB*aD-el*ew;
C0[c0+4]+=bx*aE+bz*aF+bB*aG-el*ex;
C0[c0+5]+=bx*aH+bz*aI+bB*aJ-el*ey;
C0[c0+6]+=bD*aE+bF*aF+bH*aG+bJ*aO+bL*aR+bN*aU-em*eu;
C0[c0+7]+=bD*aH+bF*aI+bH*aJ+bJ*aP+bL*aS+bN*aV-em*ev;
C0[c0+8]+=bJ*aB+bL*aC+bN*aD-em*ew;
C0[c0+9]+=bJ*aE+bL*aF+bN*aG-em*ex;
C0[c0+10]+=-(bJ*aH+bL*aI+bN*aJ-em*ey);
C0[c0+11]+=-((bO+aI*aX+aJ*aY+aP*C0[o0+3]+aS*aZ+aV*b)*aH+(aH*aX+bP+aJ*bb+aP*bc+aS*C0[o0+9]-aV*bd)*aI+(aH*aY+aI*bb+bQ+aP*bf+aS*bg-aV*C0[o0+14])*aJ+bS*aP+bU*aS+bW*aV-en*ev);
C0[c0+12]+=bS*aB+bU*aC+bW*aD-en*ew;
C0[c0+13]+=bS*aE+bU*aF+bW*aG-en*ex;
C0[c0+14]+=-(bS*aH+bU*aI+bW*aJ-en*ey);
C0[c0+15]+=bY*aB+e*aC+eb*aD-eo*ew;
C0[c0+16]+=-(bY*aE+e*aF+eb*aG-eo*ex);
C0[c0+17]+=-(bY*aH+e*aI+eb*aJ-eo*ey);
C0[c0+18]+=-(ed*aE+ef*aF+eh*aG-ep*ex);
C0[c0+19]+=-(ed*aH+ef*aI+eh*aJ-ep*ey);
C0[c0+20]+=-((ei-aI*C0[o0+16]-aJ*C0[o0+17])*aH+(ej-aH*C0[o0+16]-aJ*C0[o0+19])*aI+(ek-(aH*C0[o0+17]+aI*C0[o0+19]))*aJ-eq*ey);
C1[c1+0]+=fo*eI+fp*eL+fq*eO+fr*eR+fs*eX+ft*fc+(bq*aB+bs*aC+bu*aD+bw*aN+by*aQ+bA*aT);
C1[c1+1]+=-(fo*eJ+fp*eM+fq*eP+fr*eS+fs*eY+ft*fd+(bq*aE+bs*aF+bu*aG+bw*aO+by*aR+bA*aU));
C1[c1+2]+=-(fo*eK+fp*eN+fq*eQ+fr*eT+fs*eZ+ft*fe+(bq*aH+bs*aI+bu*aJ+bw*aP+by*aS+bA*aV));
C1[c1+3]+=fr*eU-(fo*ez+fp*eC+fq*eF)+fs*f+ft*ff+(bw*aB+by*aC+bA*aD);
C1[c1+4]+=-(fr*eV-(fo*eA+fp*eD+fq*eG)+fs*fa+ft*fg+(bw*aE+by*aF+bA*aG));
C1[c1+5]+=fr*eW-(fo*eB+fp*eE+fq*eH)+fs*fb+ft*fh+(bw*aH+by*aI+bA*aJ);
C1[c1+6]+=-(fu*eJ+fv*eM+fw*eP+fx*eS+fy*eY+fz*fd+(bC*aE+bE*aF+bG*aG+bI*aO+bK*aR+bM*aU));
C1[c1+7]+=fu*eK+fv*eN+fw*eQ+fx*eT+fy*eZ+fz*fe+(bC*aH+bE*aI+bG*aJ+bI*aP+bK*aS+bM*aV);
C1[c1+8]+=fx*eU-(fu*ez+fv*eC+fw*eF)+fy*f+fz*ff+(bI*aB+bK*aC+bM*aD);
C1[c1+9]+=fx*eV-(fu*eA+fv*eD+fw*eG)+fy*fa+fz*fg+(bI*aE+bK*aF+bM*aG);
C1[c1+10]+=-(fx*eW-(fu*eB+fv*eE+fw*eH)+fy*fb+fz*fh+(bI*aH+bK*aI+bM*aJ));
C1[c1+11]+=-(fA*eK+fB*eN+fC*eQ+fD*eT+fE*eZ+fF*fe+(bO*aH+bP*aI+bQ*aJ+bR*aP+bT*aS+bV*aV));
C1[c1+12]+=-(fD*eU-(fA*ez+fB*eC+fC*eF)+fE*f+fF*ff+(bR*aB+bT*aC+bV*aD));
C1[c1+13]+=fD*eV-(fA*eA+fB*eD+fC*eG)+fE*fa+fF*fg+(bR*aE+bT*aF+bV*aG);
C1[c1+14]+=-(fD*eW-(fA*eB+fB*eE+fC*eH)+fE*fb+fF*fh+(bR*aH+bT*aI+bV*aJ));
C1[c1+15]+=fJ*eU-(fG*ez+fH*eC+fI*eF)+fK*f+fL*ff+(bX*aB+bZ*aC+ea*aD);
C1[c1+16]+=-(fJ*eV-(fG*eA+fH*eD+fI*eG)+fK*fa+fL*fg+(bX*aE+bZ*aF+ea*aG));
C1[c1+17]+=-(fJ*eW-(fG*eB+fH*eE+fI*eH)+fK*fb+fL*fh+(bX*aH+bZ*aI+ea*aJ));
C1[c1+18]+=-(fP*eV-(fM*eA+fN*eD+fO*eG)+fQ*fa+fR*fg+(ec*aE+ee*aF+eg*aG));
C1[c1+19]+=fP*eW-(fM*eB+fN*eE+fO*eH)+fQ*fb+fR*fh+(ec*aH+ee*aI+eg*aJ);
C1[c1+20]+=(eH*C1[o1+12]-(eB*C1[o1+3]+eE*C1[o1+8])+eW*fl-fb*C1[o1+16]-fh*C1[o1+17])*eW-((eE*C1[o1+1]-eB*fi+eH*C1[o1+2]+eW*C1[o1+3]-fb*C1[o1+4]+fh*C1[o1+5])*eB+(eB*C1[o1+1]-eE*fj-eH*C1[o1+7]+eW*C1[o1+8]+fb*C1[o1+9]-fh*C1[o1+10])*eE+(eB*C1[o1+2]-eE*C1[o1+7]-eH*fk-eW*C1[o1+12]+fb*C1[o1+13]-fh*C1[o1+14])*eH)+(eB*C1[o1+4]-eE*C1[o1+9]-eH*C1[o1+13]-eW*C1[o1+16]+fb*fm+fh*C1[o1+19])*fb+(eE*C1[o1+10]-eB*C1[o1+5]+eH*C1[o1+14]-eW*C1[o1+17]+fb*C1[o1+19]+fh*fn)*fh+(ei*aH+ej*aI+ek*aJ);
out0[i]=er-((a*fi-aa*C1[o1+1]-ab*C1[o1+2]+ac*C1[o1+3]-ad*C1[o1+4]+ae*C1[o1+5])*a+(aa*fj-a*C1[o1+1]+ab*C1[o1+7]+ac*C1[o1+8]+ad*C1[o1+9]-ae*C1[o1+10])*aa+(aa*C1[o1+7]-a*C1[o1+2]+ab*fk-ac*C1[o1+12]+ad*C1[o1+13]-ae*C1[o1+14])*ab+(a*C1[o1+3]+aa*C1[o1+8]-ab*C1[o1+12]+ac*fl-ad*C1[o1+16]-ae*C1[o1+17])*ac+(aa*C1[o1+9]-a*C1[o1+4]+ab*C1[o1+13]-ac*C1[o1+16]+ad*fm+ae*C1[o1+19])*ad+(a*C1[o1+5]-aa*C1[o1+10]-ab*C1[o1+14]-ac*C1[o1+17]+ad*C1[o1+19]+ae*fn)*ae)*7.105427357601002e-15;
g[0]=Math.max(g[0],Math.max(Math.max(Math.max(Math.max(Math.max(aW,ba),be),bh),bi),bj));
g[1]=Math.min(g[1],er);
}
function margins_run(sizes,tree,D,G,inputs,outputs,w){
const [n,nq,nv,keep]=sizes;
let size=keep;
const in0=inputs[0],in1=inputs[1],out0=outputs[0],out1=outputs[1];
const C0=w.subarray(size,size+(n+1)*21); size+=(n+1)*21;
C0.fill(0);
const C1=w.subarray(size,size+(n+1)*21); size+=(n+1)*21;
C1.fill(0);
const g=w.subarray(size,size+4),K=(link)=>tree[6*link+3];
g[0]=(-Infinity);
g[1]=Infinity;
for(let i=n-1;i>=0;i--){const t=6*i;
if(tree[t+1]===0) margins_run_0_2(D,G,in0,in1,out0,out1,C0,C1,w,g,n,nq,nv,i,tree[t+2],tree[t+3],tree[t+4],tree[t+5],(tree[t]+1)*21,(i+1)*21,(tree[t]+1)*21,(i+1)*21);
}
out1[0]=g[1]-g[0]*1e-09;
}
const MARGINS={keep:0,carried:42,kept:4,inputs:[null, null],rows:["joints"],outputs:[["n"], [1]],run:margins_run};
