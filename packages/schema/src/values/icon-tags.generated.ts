/** Icons of lucide-static 1.62.0, a line each: name, tags. Written by services/renderer/test/programs/generate.ts; a test compares it. */
export const iconTags = `
a-arrow-down:letter,font size,text,formatting,smaller
a-arrow-up:letter,font size,text,formatting,larger,bigger
a-large-small:letter,font size,text,formatting
accessibility:disability,disabled,dda,wheelchair
activity:pulse,action,motion,movement,exercise,fitness,healthcare,heart rate monitor,vital signs,vitals,emergency room,er,intensive care,hospital,defibrillator,earthquake,seismic,magnitude,richter scale,aftershock,tremor,shockwave,audio,waveform,synthesizer,synthesiser,music
ad:advert,affiliate,brand,campaign,commercial,marketing,monetize,paid,partner,promo,sponsor,audio description,video description,described video,visual description
air-vent:air conditioner,ac,central air,cooling,climate-control
airplay:stream,cast,mirroring,screen,monitor,macos,osx
alarm-clock:morning
alarm-clock-check:alarm check,done,todo,tick,complete,task
alarm-clock-minus:alarm minus,remove
alarm-clock-off:morning,turn-off
alarm-clock-plus:alarm plus,add
alarm-smoke:fire,alert,warning,detector,carbon monoxide,safety,equipment,amenities
align-center-horizontal:items,flex,justify
align-center-vertical:items,flex,justify
align-end-horizontal:items,bottom,flex,justify
align-end-vertical:items,right,flex,justify
align-horizontal-distribute-center:items,flex,justify,space,evenly,around
align-horizontal-distribute-end:right,items,flex,justify
align-horizontal-distribute-start:left,items,flex,justify
align-horizontal-justify-center:center,items,flex,justify
align-horizontal-justify-end:right,items,flex,justify
align-horizontal-justify-start:left,items,flex,justify
align-horizontal-space-around:center,items,flex,justify,distribute,between
align-horizontal-space-between:around,items,bottom,flex,justify
align-start-horizontal:top,items,flex,justify
align-start-vertical:left,items,flex,justify
align-vertical-distribute-center:items,flex,justify,space,evenly,around
align-vertical-distribute-end:bottom,items,flex,justify
align-vertical-distribute-start:top,items,flex,justify
align-vertical-justify-center:center,items,flex,justify,distribute,between
align-vertical-justify-end:bottom,items,flex,justify,distribute,between
align-vertical-justify-start:top,items,flex,justify,distribute,between
align-vertical-space-around:center,items,flex,justify,distribute,between
align-vertical-space-between:center,items,flex,justify,distribute,between
ambulance:emergency,medical,vehicle,siren,healthcare,transportation,rescue,urgent,first aid
ampersand:and,typography,operator,join,concatenate,code,&
ampersands:and,operator,then,code,&&
amphora:pottery,artifact,artefact,vase,ceramics,clay,archaeology,museum,wine,oil
anchor:ship
angle:degree,corner,geometry,measure,math,rotate,vertex,slope,protractor,measurement,dimension,arc,drafting,cad
antenna:signal,connection,connectivity,tv,television,broadcast,live,frequency,tune,scan,channels,aerial,receiver,transmission,transducer,terrestrial,satellite,cable
anvil:metal,iron,alloy,materials,heavy,weight,blacksmith,forge,acme
aperture:camera,photo,pictures,shutter,exposure
app-window:application,menu bar,pane,executable
app-window-mac:application,menu bar,pane,preferences,macos,osx,executable
apple:fruit,food,healthy,snack,nutrition,fresh,produce,grocery,organic,harvest,vitamin,red,green,juicy,sweet,tart,bite,orchard,plant,core,raw,diet
archive:index,backup,box,storage,records
archive-restore:unarchive,index,backup,box,storage,records
archive-x:index,backup,box,storage,records,junk
armchair:sofa,furniture,leisure,lounge,loveseat,couch
armenian-dram:finance,symbol,banking,economy,currency,money,payment
arrow-big-down:backwards,reverse,direction,south
arrow-big-down-dash:backwards,reverse,slow,direction,south,download
arrow-big-left:previous,back,direction,west,indicate turn
arrow-big-left-dash:previous,back,direction,west,turn,corner
arrow-big-right:next,forward,direction,east,indicate turn
arrow-big-right-dash:next,forward,direction,east,turn,corner
arrow-big-up:shift,keyboard,button,mac,capitalize,capitalise,forward,direction,north
arrow-big-up-dash:caps lock,capitals,keyboard,button,mac,forward,direction,north,faster,speed,boost
arrow-down:backwards,reverse,direction,south
arrow-down-0-1:arrow down 01,filter,sort,ascending,descending,increasing,decreasing,rising,falling,numerical
arrow-down-1-0:arrow down 10,filter,sort,ascending,descending,increasing,decreasing,rising,falling,numerical
arrow-down-a-z:arrow down az,filter,sort,ascending,descending,increasing,decreasing,rising,falling,alphabetical
arrow-down-from-line:backwards,reverse,direction,south,download,expand,fold,vertical
arrow-down-left:direction,south-west,diagonal
arrow-down-narrow-wide:filter,sort,ascending,descending,increasing,decreasing,rising,falling
arrow-down-right:direction,south-east,diagonal
arrow-down-to-dot:direction,south,waypoint,location,step,into
arrow-down-to-line:behind,direction,south,download,save,git,version control,pull,collapse,fold,vertical
arrow-down-up:bidirectional,two-way,2-way,swap,switch,network,traffic,flow,mobile data,internet,sort,reorder,move
arrow-down-wide-narrow:sort desc,filter,sort,ascending,descending,increasing,decreasing,rising,falling
arrow-down-z-a:arrow down za,filter,sort,ascending,descending,increasing,decreasing,rising,falling,alphabetical,reverse
arrow-left:previous,back,direction,west,<-
arrow-left-from-line:previous,back,direction,west,expand,fold,horizontal,<-|
arrow-left-right:bidirectional,two-way,2-way,swap,switch,transaction,reorder,move,<-,->
arrow-left-to-line:previous,back,direction,west,collapse,fold,horizontal,|<-
arrow-right:forward,next,direction,east,->
arrow-right-from-line:next,forward,direction,east,export,expand,fold,horizontal,|->
arrow-right-left:bidirectional,two-way,2-way,swap,switch,transaction,reorder,move,<-,->
arrow-right-to-line:next,forward,direction,east,tab,keyboard,mac,indent,collapse,fold,horizontal,->|
arrow-up:forward,direction,north
arrow-up-0-1:arrow up 01,filter,sort,ascending,descending,increasing,decreasing,rising,falling,numerical
arrow-up-1-0:arrow up 10,filter,sort,ascending,descending,increasing,decreasing,rising,falling,numerical
arrow-up-a-z:arrow up az,filter,sort,ascending,descending,increasing,decreasing,rising,falling,alphabetical
arrow-up-down:bidirectional,two-way,2-way,swap,switch,network,mobile data,internet,sort,reorder,move
arrow-up-from-dot:direction,north,step,out
arrow-up-from-line:forward,direction,north,upload,git,version control,push,expand,fold,vertical
arrow-up-left:direction,north-west,diagonal
arrow-up-narrow-wide:sort asc,filter,sort,ascending,descending,increasing,decreasing,rising,falling
arrow-up-right:direction,north-east,diagonal
arrow-up-to-line:forward,direction,north,upload,collapse,fold,vertical
arrow-up-wide-narrow:filter,sort,ascending,descending,increasing,decreasing,rising,falling
arrow-up-z-a:arrow up za,filter,sort,ascending,descending,increasing,decreasing,rising,falling,alphabetical,reverse
arrows-up-from-line:direction,orientation,this way up,vertical,package,box,fragile,postage,shipping
asterisk:symbol,mark,pointer,pencil,sign,alert,notification,indicator,symbolic,reference,times,multiply,multiplication,operator,code,glob pattern,wildcard,*
astroid:star,math,shape,curve,sharp,four-pointed,hypocycloid,ai,artificial intelligence
at-sign:mention,at,email,message,@
atom:atomic,nuclear,physics,particle,element,molecule,electricity,energy,chemistry
audio-lines:graphic equaliser,sound,noise,listen,hearing,hertz,frequency,wavelength,vibrate,sine,synthesizer,synthesiser,levels,track,music,playback,radio,broadcast,airwaves,voice,vocals,singer,song
audio-lines-off:audio,sound,noise,mute,silence,off,disabled,inactive,listen,hearing,equalizer,equaliser,hertz,frequency,wavelength,vibrate,sine,waveform,synthesizer,synthesiser,levels,track,music,playback,radio,broadcast,airwaves,voice,vocals,singer,song
audio-lines-x:sound,noise,mute,silence,disabled,cancel,remove,unavailable,listen,hearing,equalizer,equaliser,hertz,frequency,wavelength,vibrate,sine,waveform,synthesizer,synthesiser,levels,track,music,playback,radio,broadcast,airwaves,voice,vocals,singer,song
audio-waveform:sound,noise,listen,hearing,hertz,frequency,wavelength,vibrate,sine,synthesizer,synthesiser,levels,track,music,playback,radio,broadcast,airwaves,voice,vocals,singer,song
avocado:fruit,snack,meal,lunch,ingredient,cooking,cookery,kitchen,cuisine,eating,healthy,nutrition,diet,guacamole,mexican,green,pit,seed,half,produce,vegetarian,vegan,grocery,supermarket,toast,superfood,plant based,ripe
award:achievement,badge,rosette,prize,winner
axe:hatchet,weapon,chop,sharp,equipment,fireman,firefighter,brigade,lumberjack,woodcutter,logger,forestry
axis-3d:axis 3 d,gizmo,coordinates
azerbaijani-manat:currency,money,payment,azerbaijan,azn,exchange,banking,pricing,currency symbol
baby:child,childproof,children
backpack:bag,hiking,travel,camping,school,childhood
bacon:rashers,smoked,streaky,crispy,meat,fast food,junk food,snack,dish,restaurant,brunch,lunch,meal,savory,savoury,cookery,cooking,grilled,barbecue,barbeque,bbq,pig,pork,breakfast,cured,butcher,sandwich,protein,grocery,kitchen
badge:check,verified,unverified
badge-alert:check,verified,unverified,security,safety,issue
badge-cent:discount,offer,sale,voucher,tag,monetization,marketing,finance,financial,exchange,transaction,payment,cents,dollar,usd,¢
badge-check:verified,check
badge-dollar-sign:discount,offer,sale,voucher,tag,monetization,marketing,finance,financial,exchange,transaction,payment,usd
badge-euro:discount,offer,sale,voucher,tag,monetization,marketing,finance,financial,exchange,transaction,payment,€
badge-indian-rupee:discount,offer,sale,voucher,tag,monetization,marketing,finance,financial,exchange,transaction,payment,inr,₹
badge-info:verified,unverified,help
badge-japanese-yen:discount,offer,sale,voucher,tag,monetization,marketing,finance,financial,exchange,transaction,payment,jpy,¥
badge-minus:verified,unverified,delete,remove,erase
badge-percent:verified,unverified,sale,discount,offer,marketing,sticker,price tag
badge-plus:verified,unverified,add,create,new
badge-pound-sterling:discount,offer,sale,voucher,tag,monetization,marketing,finance,financial,exchange,transaction,payment,british,gbp,£
badge-question-mark:badge help,verified,unverified,help
badge-russian-ruble:discount,offer,sale,voucher,tag,monetization,marketing,finance,financial,exchange,transaction,payment,rub,₽
badge-swiss-franc:discount,offer,sale,voucher,tag,monetization,marketing,finance,financial,exchange,transaction,payment,chf,₣
badge-turkish-lira:discount,offer,sale,voucher,tag,monetization,marketing,finance,financial,exchange,transaction,payment,try,₺
badge-x:verified,unverified,lost,delete,remove
baggage-claim:baggage,luggage,travel,cart,trolley,suitcase
ball-wave:polo,watercraft,athlete,feature,sport,ball,aquatic,swimming,pool,team,game,competition,olympic,water,match,aquatic sports,water polo,aquatics,water sports,pool sport,team sport,tournament,league
balloon:party,festival,congratulations,celebration,decoration,colorful,floating,fun,birthday,event,entertainment
ban:cancel,no,stop,forbidden,prohibited,error,incorrect,mistake,wrong,failure,circle,slash,null,void
banana:fruit,food
bandage:plaster,band-aid,first aid,medical,health,wound,injury,care,treatment,healing,protection,emergency,aid,safety,patch
bangladeshi-taka:currency,money,payment,bdt,৳,currency symbol,cash,banknote,price,remittance,ecommerce
banknote:currency,money,payment
banknote-arrow-down:bill,currency,money,payment,funds,transaction,cash,finance,withdraw,expense,out,payout,refund,debit,spending,decrease
banknote-arrow-up:bill,currency,money,payment,funds,transaction,cash,finance,deposit,earnings,income,in,credit,prepaid,growth,increase
banknote-check:banknote,bill,currency,payment,money,finance,document,verification,tick,verified,accepted,done,complete,found,paid,task,check,success
banknote-x:bill,currency,money,payment,funds,transaction,cash,finance,error,failed,rejected,canceled,declined,lost,delete,remove
barcode:scan,checkout,till,cart,transaction,purchase,buy,product,packaging,retail,consumer
barrel:keg,drum,tank,wine,beer,oak,wood,firkin,hogshead,kilderkin,barrique,solera,aging,whiskey,brewery,distillery,winery,vineyard
baseline:text,format,color
bath:amenities,services,bathroom,shower
battery:power,electricity,energy,accumulator,charge
battery-charging:power,electricity,energy,accumulator,charge
battery-full:power,electricity,energy,accumulator,charge
battery-low:power,electricity,energy,accumulator,charge
battery-medium:power,electricity,energy,accumulator,charge
battery-plus:power,electricity,energy,accumulator,charge,plus,economy,health,add,new,maximum,upgrade,extra,+
battery-warning:power,electricity,energy,accumulator,charge,exclamation mark
beaker:cup,lab,chemistry,experiment,test
bean:legume,soy,food,seed
bean-off:soy free,legume,soy,food,seed,allergy,intolerance,diet
bed:sleep,hotel,furniture
bed-double:sleep,hotel,furniture
bed-single:sleep,hotel,furniture
beef:food,dish,restaurant,course,meal,meat,bbq,steak
beef-off:food,dish,restaurant,course,meal,meat,bbq,steak,vegetarian
beer:alcohol,bar,beverage,brewery,drink
beer-off:alcohol,bar,beverage,brewery,drink
belarusian-ruble:currency,money,payment,byn,iso4217,fiat,prices,localization,banking,checkout,wallet,exchange-rate
bell:alarm,notification,sound,reminder
bell-check:alarm,notification,sound,reminder
bell-dot:alarm,notification,sound,reminder,unread
bell-electric:fire alarm,flames,smoke,firefighter,fireman,department,brigade,station,emergency,alert,safety,school bell,period break,recess,doorbell,entrance,entry,ring,reception
bell-minus:alarm,notification,silent,reminder,delete,remove,erase
bell-off:alarm,notification,silent,reminder
bell-plus:notification,silent,reminder,add,create,new
bell-ring:alarm,notification,sound,reminder
between-horizontal-end:between horizonal end,insert,add,left,slot,squeeze,space,vertical,grid,table,rows,cells,excel,spreadsheet,accountancy,data,enter,entry,entries,blocks,rectangles,chevron
between-horizontal-start:between horizonal start,insert,add,right,slot,squeeze,space,vertical,grid,table,rows,cells,excel,spreadsheet,accountancy,data,enter,entry,entries,blocks,rectangles,chevron
between-vertical-end:insert,add,top,slot,squeeze,space,vertical,grid,table,columns,cells,data,enter,entry,entries,blocks,rectangles,chevron
between-vertical-start:insert,add,bottom,slot,squeeze,space,vertical,grid,table,columns,cells,data,enter,entry,entries,blocks,rectangles,chevron
biceps-flexed:arm,muscle,strong,working out,athletic,toned,muscular,forelimb,curled
bike:bicycle,transport,trip
binary:code,digits,computer,zero,one,boolean
binoculars:field glasses,lorgnette,pince-nez,observation,sightseeing,nature,wildlife,birdwatching,scouting,surveillance,search,discovery,monitoring,lookout,viewpoint,travel,tourism,research
biohazard:fallout,waste,biology,chemistry,chemical,element
bird:peace,freedom,wing,avian,tweet
birdhouse:bird,garden,home,house,woodwork
bitcoin:cryptocurrency,digital,blockchain,finance,coin,market,decentralized,investment,crypto,currency,money,payment
blend:mode,overlay,multiply,screen,opacity,transparency,alpha,filters,lenses,mixed,shades,tints,hues,saturation,brightness,overlap,colors,colours,marriage,rings,couple,connection
blender:mixer,appliances,food,liquid,juicer,vitamizer,mix,emulsify,smoothie,drink,blade,container,kitchen,milkshake,cocktail,beverage,culinary,shredder,processor,cooking,recipe,chef,restaurant
blinds:shades,screen,curtain,shutter,roller blind,window,lighting,household,home
blocks:addon,plugin,integration,extension,package,build,stack,toys,kids,children,learning,squares,corner
bluetooth:wireless
bluetooth-connected:paired
bluetooth-off:lost
bluetooth-searching:pairing
bold:text,strong,format
bolt:nut,screw,settings,preferences,configuration,controls,edit,diy,fixed,build,construction,parts
bomb:fatal,error,crash,blockbuster,mine,explosion,explode,explosive
bone:health,skeleton,skull,death,pets,dog
bone-fracture:bone,fracture,injury,orthopedic,medical,anatomy,skeletal,broken,xray,trauma,health,vet,veterinary,crack,break,damage
book:reading,paperback,booklet,magazine,leaflet,pamphlet,tome,library,writing,written,writer,author,story,script,fiction,novel,information,knowledge,education,high school,university,college,academy,student,study,learning,homework,research,documentation
book-a:dictionary,define,definition,thesaurus,encyclopedia,encyclopaedia,reading,booklet,magazine,leaflet,pamphlet,tome,library,writing,written,writer,author,story,script,fiction,novel,information,knowledge,education,high school,university,college,academy,student,study,learning,homework,research,language,translate,alphabetical,a-z,ordered
book-alert:reading,paperback,booklet,magazine,leaflet,pamphlet,tome,library,writing,written,writer,author,story,script,fiction,novel,information,knowledge,education,high school,university,college,academy,student,study,learning,homework,research,documentation,warning,alert,danger,exclamation mark
book-audio:audiobook,reading,listening,sound,story,fiction,novel,information,knowledge,education,student,study,learning,research
book-bookmark:book marked,dictionary,reading,booklet,magazine,leaflet,pamphlet,tome,library,writing,written,writer,author,story,script,fiction,novel,information,knowledge,education,high school,university,college,academy,student,study,learning,homework,research,documentation,saved,later,future,reference,index,code,coding,version control,git,repository
book-check:read,booklet,magazine,leaflet,pamphlet,library,written,authored,published,informed,knowledgeable,educated,schooled,homework,examined,tested,marked,passed,graduated,studied,learned,lesson,researched,documented,revealed,blank,plain language,true,truth,verified,corrected,task,todo,done,completed,finished,ticked
book-copy:code,coding,version control,git,repository,clone,fork,duplicate,multiple,books,library,copies,copied,plagiarism,plagiarised,plagiarized,reading list,information,informed,knowledge,knowledgeable,knowledgable,education,high school,university,college,academy,student,study,learning,research,smart,intelligent,intellectual
book-dashed:book template,code,coding,version control,git,repository,template,draft,script,screenplay,writing,writer,author,unwritten,unpublished,untold
book-down:code,coding,version control,git,repository,pull
book-headphones:audiobook,reading,listening,sound,story,fiction,novel,information,knowledge,education,student,study,learning,research
book-heart:diary,romance,novel,journal,entry,entries,personal,private,secret,crush,like,love,emotion,feminine,girls,teens,teenager,therapy,therapeutic,therapist,planner,organizer,organiser,notes,notepad,stationery,sketchbook,writing,written,reading,favorite,favourite,high school
book-image:images,pictures,photos,album,collection,event,magazine,catalog,catalogue,brochure,browse,gallery
book-key:code,coding,version control,git,repository,private,public,secret,unlocked,hidden,revealed,knowledge,learning
book-lock:code,coding,version control,git,repository,private,secret,hidden,knowledge
book-minus:code,coding,version control,git,repository,remove,delete,censor,cancel,forbid,prohibit,ban,uneducated,re-educate,unlearn,downgrade
book-open:reading,pages,booklet,magazine,leaflet,pamphlet,library,writing,written,writer,author,story,script,screenplay,fiction,novel,information,knowledge,education,high school,university,college,academy,student,study,learning,homework,research,documentation,revealed,blank,plain
book-open-check:read,pages,booklet,magazine,leaflet,pamphlet,library,written,authored,published,informed,knowledgeable,educated,schooled,homework,examined,tested,marked,passed,graduated,studied,learned,lesson,researched,documented,revealed,blank,plain language,true,truth,verified,corrected,task,todo,done,completed,finished,ticked
book-open-text:reading,pages,booklet,magazine,leaflet,pamphlet,library,writing,written,writer,author,story,script,fiction,novel,information,knowledge,education,high school,university,college,academy,student,study,learning,homework,research,documentation,revealed
book-plus:code,coding,version control,git,repository,remove,delete,read,write,author,publish,inform,graduate,re-educate,study,learn,research,knowledge,improve,upgrade,level up
book-search:reading,library,study,education,research,knowledge,discover,browsing,lookup,finding,scanning
book-text:reading,booklet,magazine,leaflet,pamphlet,tome,library,writing,written,writer,author,story,script,fiction,novel,information,knowledge,education,high school,university,college,academy,student,study,learning,homework,research,documentation
book-type:thesaurus,synonym,reading,booklet,magazine,leaflet,pamphlet,tome,library,writing,written,writer,author,story,script,fiction,novel,information,knowledge,education,high school,university,college,academy,student,study,learning,homework,research,language,translate,typography,fonts,collection
book-up:code,coding,version control,git,repository,push
book-up-2:code,coding,version control,git,repository,push,force
book-user:person,people,family,friends,acquaintances,contacts,details,addresses,phone numbers,directory,listing,networking
book-x:code,coding,version control,git,repository,remove,delete,reading,misinformation,disinformation,misinformed,charlatan,sophistry,false,lies,untruth,propaganda,censored,cancelled,forbidden,prohibited,banned,uneducated,re-education,unlearn
bookmark:save,favorite,mark,label,attachment,file,stick,pin,read,clip,marker,tag
bookmark-check:read,finished,complete,clip,marker,tag,task,todo
bookmark-minus:delete,remove
bookmark-off:unsaved,unfavorite,unmarked,unlabel,disabled,removed,unpin,unread,unclip,marker,untag
bookmark-plus:add
bookmark-x:read,clip,marker,tag,cancel,close,delete,remove,clear
boom-box:radio,speakers,audio,music,sound,broadcast,live,frequency
bot:robot,ai,chat,assistant
bot-message-square:robot,ai,chat,assistant
bot-off:robot,ai,chat,assistant
bottle-wine:alcohol,drink,glass,goblet,chalice,vineyard,winery,red,white,rose,dry,sparkling,bar,party,nightclub,nightlife,sommelier,restaurant,dinner,meal
bow-arrow:archer,archery,game,war,weapon
box:cube,package,container,storage,geometry,3d,isometric
boxes:cubes,packages,parts,group,units,collection,cluster,geometry
braces:curly braces,json,code,token,curly brackets,data,{,}
brackets:code,token,array,list,square,[,]
brain:medical,mind,mental,intellect,cerebral,consciousness,genius,artificial intelligence,ai,think,thought,insight,intelligent,smart
brain-circuit:mind,intellect,artificial intelligence,ai,deep learning,machine learning,computing
brain-cog:mind,intellect,artificial intelligence,ai,deep learning,machine learning,computing
brain-off:medical,mind,mental,intellect,cerebral,consciousness,genius,artificial intelligence,ai,think,deep learning,machine learning,computing
brick-wall:bricks,mortar,cement,materials,construction,builder,labourer,quantity surveyor,blocks,stone
brick-wall-fire:firewall,security,bricks,mortar,cement,materials,construction,builder,labourer,quantity surveyor,blocks,stone,campfire,camping,wilderness,outdoors,lit,warmth,wood,twigs,sticks
brick-wall-shield:firewall,security,bricks,mortar,cement,materials,construction,builder,labourer,quantity surveyor,blocks,stone,cybersecurity,secure,safety,protection,guardian,armored,armoured,defense,defence,defender,block,threat,prevention,antivirus,vigilance,vigilant,detection,scan,find,strength,strong,tough,invincible,invincibility,invulnerable,undamaged,audit,admin,verification,crest,bravery,knight,foot soldier,infantry,trooper,pawn,battle,war,military,army,cadet,scout
bridge:overpass,cross over,traverse,viaduct,suspension,infrastructure,transportation,crossing,road,river,gate,golden,travel,landmark,route,maritime,clearance
briefcase:work,bag,baggage,folder
briefcase-business:work,bag,baggage,folder,portfolio
briefcase-conveyor-belt:baggage,luggage,travel,suitcase,conveyor,carousel
briefcase-medical:doctor,medicine,first aid
briefcase-plus:work,bag,baggage,folder,new,add,create,increase,briefcase,portfolio,business,career,employment,professional,plus
bring-to-front:bring,send,move,over,forward,front,overlap,layer,order
broccoli:leafy,crisp,fresh,culinary,vegetation,vegetable,food,healthy,vegan,vegetarian,nutrition,diet,plant,green,produce
broom:broomstick,brush,sweep,sweeping,floor,cleaning,housekeeping,chores,tidy,spotless,dust,debris,bristles,handle,janitor,maintenance,witch,halloween
broom-sparkles:broomstick,brush,sweep,sweeping,floor,cleaning,ai,magic,sparkle,smart,automation,housekeeping,chores,tidy,spotless,pristine,dust,debris,bristles,handle,janitor,maintenance,witch,halloween
brush:clean,sweep,refactor,remove,draw,paint,color,artist
brush-cleaning:cleaning,utensil,housekeeping,tool,sweeping,scrubbing,hygiene,maintenance,household,cleaner,chores,equipment,sanitation,bristles,handle,home care,sanitize,purify,wash,disinfect,sterilize,scrub,polish,decontaminate,wipe,spotless,remove,empty,erase,purge,eliminate
bubbles:water,cleaning,soap,bath,hygiene,freshness,wash,foam,cleanliness,shampoo,purity,splash,lightness,airy,relaxation,spa,bubbly,fluid,floating,drop
bug:issue,error,defect,testing,troubleshoot,problem,report,debug,code,insect,beetle
bug-off:issue,fixed,resolved,testing,debug,code,insect,kill,exterminate,pest control
bug-play:issue,testing,debug,reproduce,code,insect
building:organisation,organization
building-complex:building 2,business,company,enterprise,skyscraper,organisation,organization,city
building-complex-plus:business,company,enterprise,skyscraper,organisation,organization,city,new,add,create,increase,office,headquarters,startup,registration,onboarding,real estate,property
bus:vehicle,transport,trip
bus-front:coach,vehicle,trip,road
cable:cord,wire,connector,connection,link,signal,console,computer,equipment,electricity,energy,electronics,recharging,charger,power,supply,disconnected,unplugged,plugs,interface,input,output,audio video,av,rca,scart,tv,television,optical
cable-car:ski lift,winter holiday,alpine,resort,mountains
cake:birthday,birthdate,celebration,party,surprise,gateaux,dessert,fondant,icing sugar,sweet,baking
cake-slice:birthday,birthdate,celebration,party,surprise,gateaux,dessert,candles,wish,fondant,icing sugar,sweet,baking
calculator:count,calculating machine
calendar:date,month,year,event,birthday,birthdate
calendar-1:date,month,year,event,single,singular,once,1,first
calendar-arrow-down:date,month,year,event,sort,order,ascending,descending,increasing,decreasing,rising,falling
calendar-arrow-up:date,month,year,event,sort,order,ascending,descending,increasing,decreasing,rising,falling
calendar-check:date,day,month,year,event,confirm,subscribe,schedule,done,todo,tick,complete,task
calendar-check-2:date,day,month,year,event,confirm,subscribe,schedule,done,todo,tick,complete,task
calendar-chevrons-left:navigation,arrow,direction,symbol,pointer,indicator,next,menu,date,day,month,year,events
calendar-chevrons-right:navigation,arrow,direction,symbol,pointer,indicator,previous,menu,date,day,month,year,events
calendar-clock:date,day,month,year,event,clock,hour
calendar-cog:date,day,month,year,events,settings,gear,cog
calendar-days:date,month,year,event
calendar-fold:date,month,year,event,birthday,birthdate,ics
calendar-heart:date,month,year,event,heart,favourite,subscribe,valentines day
calendar-minus:date,day,month,year,event,delete,remove
calendar-minus-2:date,day,month,year,event,delete,remove
calendar-off:date,day,month,year,event,delete,remove
calendar-plus:date,day,month,year,event,add,subscribe,create,new
calendar-plus-2:date,day,month,year,event,add,subscribe,create,new
calendar-range:date,day,month,year,event,range,period
calendar-search:date,day,month,year,events,search,lens
calendar-sync:repeat,refresh,reconnect,transfer,backup,date,month,year,event,subscribe,recurring,schedule,reminder,automatic,auto
calendar-x:date,day,month,year,event,remove,busy
calendar-x-2:date,day,month,year,event,remove
calendars:date,month,year,event,dates,months,years,events
camera:photography,lens,focus,capture,shot,visual,image,device,equipment,photo,webcam,video
camera-off:photo,webcam,video
can:food,storage,groceries,tin,metal,recyclable,container,pantry,grocery,preserved
can-soda:beverage,drink,food,soda,tin,beer,alcohol,waste
candy:sugar,food,sweet
candy-cane:sugar,food,sweet,christmas,xmas
candy-off:sugar free,food,sweet,allergy,intolerance,diet
cannabis:weed,leaf
cannabis-off:cannabis,weed,leaf
captions:subtitles,closed captions,subhead,transcription,transcribe,dialogue,accessibility
captions-off:closed captions,subtitles,subhead,transcription,transcribe,dialogue,accessibility
car:vehicle,drive,trip,journey
car-battery:battery,automobile,power cell,electric,power,electricity,energy,accumulator,charge,transport,vehicle,car
car-front:vehicle,drive,trip,journey
car-taxi-front:cab,vehicle,drive,trip,journey
caravan:trailer,tow,camping,campsite,mobile home,holiday,nomadic,wilderness,outdoors
card-sim:cellphone,smartphone,mobile,network,cellular,service,provider,signal,coverage,disk,data,format,storage,flash,digital,contacts,phone book,contractual,circuit board,chip
carrot:orange,healthy,nature,fresh,root,produce,organic,nutrition,vegetable,food,eat
carton:milk,dairy,beverage,drink,diet,lactose,liquid,liter,litre,pint,pints,pasteurized,skim,skimmed,container,packaging,grocery,juice,cream,cow
carton-off:milk,dairy,beverage,drink,diet,lactose free,non dairy,liquid,liter,litre,pint,pints,pasteurized,skim,skimmed,container,packaging,allergy,intolerance,vegan,unavailable
case-lower:text,letters,characters,font,typography
case-sensitive:text,letters,characters,font,typography
case-upper:text,letters,characters,font,typography
cassette-tape:audio,music,recording,play
cast:stream,streaming,screen,display,wireless,broadcast,transmit,media,receiver,remote display,screen sharing,media streaming
castle:fortress,stronghold,palace,chateau,building
cat:animal,pet,kitten,feline
cctv:camera,surveillance,recording,film,videotape,crime,watching
cctv-off:camera,surveillance,recording,film,videotape,crime,watching
certificate:award,ribbon,medal,achievement,pinned,badge,recognition,laurel,commendation,diploma,official,proof,fact,verified,license,warrant,authorization,legal,ownership,credential,ssl,tls,security,trust,cybersecurity,authority,graduation,study
chart-area:area chart,statistics,analytics,diagram,graph,area
chart-bar:bar chart horizontal,statistics,analytics,diagram,graph
chart-bar-big:bar chart horizontal big,statistics,analytics,diagram,graph
chart-bar-decreasing:statistics,analytics,diagram,graph,trending down
chart-bar-increasing:statistics,analytics,diagram,graph,trending up
chart-bar-stacked:statistics,analytics,diagram,graph,multivariate,categorical,comparison
chart-candlestick:candlestick chart,trading,trader,financial,markets,portfolio,assets,prices,value,valuation,commodities,currencies,currency,stocks,exchange,hedge fund,statistics,analytics,diagram,graph
chart-column:bar chart 3,statistics,analytics,diagram,graph
chart-column-big:bar chart big,statistics,analytics,diagram,graph
chart-column-decreasing:statistics,analytics,diagram,graph,trending down
chart-column-increasing:bar chart 4,statistics,analytics,diagram,graph,trending up
chart-column-stacked:statistics,analytics,diagram,graph,multivariate,categorical,comparison
chart-gantt:diagram,graph,timeline,planning
chart-line:line chart,statistics,analytics,diagram,graph
chart-network:statistics,analytics,diagram,graph,topology,cluster,web,nodes,connections,edges
chart-no-axes-column:bar chart 2,statistics,analytics,diagram,graph
chart-no-axes-column-decreasing:statistics,analytics,diagram,graph,trending down
chart-no-axes-column-increasing:bar chart,statistics,analytics,diagram,graph,trending up
chart-no-axes-combined:statistics,analytics,diagram,graph,trending up
chart-no-axes-gantt:gantt chart,projects,manage,overview,roadmap,plan,intentions,timeline,deadline,date,event,range,period,productivity,work,agile,code,coding
chart-pie:pie chart,statistics,analytics,diagram,presentation
chart-scatter:scatter chart,statistics,analytics,diagram,graph
chart-spline:statistics,analytics,diagram,graph,curve,continuous,smooth,polynomial,quadratic,function,interpolation
check:done,todo,tick,complete,task
check-check:done,received,double,todo,tick,complete,task
check-line:done,todo,tick,complete,task
chef-hat:cooking,food,kitchen,restaurant
cherry:fruit,food
chess-bishop:mitre,miter,piece,board game,religion
chess-king:ruler,crown,piece,board game,stalemate
chess-knight:piece,horse,board game
chess-pawn:piece,board game
chess-queen:ruler,crown,piece,board game,stalemate
chess-rook:castle,piece,board game
chevron-down:backwards,reverse,slow,dropdown
chevron-first:previous,music
chevron-last:skip,next,music
chevron-left:back,previous,less than,fewer,menu,<
chevron-right:forward,next,more than,greater,menu,code,coding,command line,terminal,prompt,shell,>
chevron-up:caret,keyboard,mac,control,ctrl,superscript,exponential,power,ahead,fast,^,dropdown
chevrons-down:backwards,reverse,slower
chevrons-down-up:collapse,fold,vertical
chevrons-left:turn,corner
chevrons-left-right:expand,horizontal,unfold
chevrons-left-right-ellipsis:internet,network,connection,cable,lan,port,router,switch,hub,modem,web,online,networking,communication,socket,plug,slot,controller,connector,interface,console,signal,data,input,output
chevrons-right:turn,corner
chevrons-right-left:collapse,fold,horizontal
chevrons-up:forward,ahead,faster,speed,boost
chevrons-up-down:expand,unfold,vertical
church:temple,building
cigarette:smoking
cigarette-off:smoking,no-smoking
circle:off,zero,record,shape
circle-alert:alert circle,warning,alert,danger,exclamation mark
circle-arrow-down:arrow down circle,backwards,reverse,direction,south,sign,button
circle-arrow-left:arrow left circle,previous,back,direction,west,sign,turn,button,<-
circle-arrow-out-down-left:arrow down left from circle,outwards,direction,south-west,diagonal
circle-arrow-out-down-right:arrow down right from circle,outwards,direction,south-east,diagonal
circle-arrow-out-up-left:arrow up left from circle,outwards,direction,north-west,diagonal,keyboard,button,escape
circle-arrow-out-up-right:arrow up right from circle,outwards,direction,north-east,diagonal
circle-arrow-right:arrow right circle,next,forward,direction,east,sign,turn,button,->
circle-arrow-up:arrow up circle,forward,direction,north,sign,button
circle-check:check circle 2,done,todo,tick,complete,task
circle-check-big:check circle,done,todo,tick,complete,task
circle-chevron-down:chevron down circle,back,menu
circle-chevron-left:chevron left circle,back,previous,less than,fewer,menu,<
circle-chevron-right:chevron right circle,back,more than,greater,menu,>
circle-chevron-up:chevron up circle,caret,ahead,menu,^
circle-chevrons-down:bottom,descend,page,page down,scroll,jump,south,caret,button,skip,end,last page,latest,feed,chat,pagination,fast,media
circle-chevrons-left:previous,rewind,backward,first,beginning,start,west,music,caret,button,pagination,skip,skip-back,seek-back,media-controls,player,playlist,track,chapter,jump,timeline,controls
circle-chevrons-right:next,forward,skip,fast forward,last,end,east,music,caret,button,pagination,jump,seek,seek forward,player control,chapter,track,timeline,navigation control
circle-chevrons-up:top,ascend,page,page up,back to top,scroll,jump,north,caret,button,skip,pagination,first page,fast,fast scroll,rewind,jump to start,floating action button,anchor,timeline
circle-dashed:pending,dot,progress,issue,draft,code,coding,version control
circle-dashed-check:approved,pending,changes,revision,reapproval,published,schedule,assignment,request,review,progress,issue,draft,code,coding,version control
circle-divide:divide circle,calculate,math,÷,/
circle-dollar-sign:monetization,marketing,currency,money,payment
circle-dot:pending,dot,progress,issue,code,coding,version control,choices,multiple choice,choose,album,music,songs,format,cd,dvd,vinyl,sleeve,cover,platinum,compilation,ep,recording,playback,spin,rotate,rpm,dj
circle-dot-dashed:pending,dot,progress,issue,draft,code,coding,version control
circle-ellipsis:ellipsis,et cetera,etc,loader,loading,progress,pending,throbber,menu,options,operator,code,spread,rest,more,further,extra,overflow,dots,…,...
circle-equal:calculate,shape,=
circle-euro:symbol,economy,banking,europe,€,euro,currency,money,payment,coin,finance,financial,exchange
circle-fading-arrow-up:north,up,upgrade,improve,circle,button
circle-fading-play:short clips,shorts,reels,stories,video,highlights,social media,content,preview,teaser,clip,short form,vertical video
circle-fading-plus:stories,social media,sharing,content
circle-gauge:gauge circle,dashboard,dial,meter,speed,pressure,measure,level
circle-minus:minus circle,subtract,remove,decrease,reduce,calculate,line,operator,code,coding,minimum,downgrade,-
circle-off:diameter,zero,ø,nothing,null,void,cancel,ban,no,stop,forbidden,prohibited,error,incorrect,mistake,wrong,failure
circle-parking:parking circle,parking lot,car park
circle-parking-off:parking circle off,parking lot,car park,no parking
circle-pause:pause circle,music,audio,stop
circle-percent:percent circle,verified,unverified,sale,discount,offer,marketing,sticker,price tag
circle-pile:off,zero,record,shape,circle,pile,stack,layer,structure,form,group,collection,stock,inventory,materials,warehouse
circle-play:play circle,music,start,run
circle-plus:plus circle,add,new,increase,increment,positive,calculate,crosshair,aim,target,scope,sight,reticule,maximum,upgrade,extra,operator,join,concatenate,code,coding,+
circle-pound-sterling:monetization,coin,penny,marketing,currency,money,payment,british,gbp,£
circle-power:power circle,on,off,device,switch,toggle,binary,boolean,reboot,restart,button,keyboard,troubleshoot
circle-question-mark:circle help,help circle,question mark
circle-slash:diameter,zero,ø,nothing,null,void,cancel,ban,no,stop,forbidden,prohibited,error,incorrect,mistake,wrong,failure,divide,division,or,/
circle-slash-2:circle slashed,diameter,zero,ø,nothing,null,void,ban,math,divide,division,half,split,/,average,avg,mean,median,normal
circle-small:shape,bullet,gender,genderless
circle-star:badge,medal,honour,decoration,order,pin,laurel,trophy,medallion,insignia,bronze,silver,gold
circle-stop:stop circle,media,music
circle-user:user circle,person,account,contact
circle-user-round:user circle 2,person,account,contact
circle-x:x circle,cancel,close,cross,delete,remove,times,clear,error,incorrect,wrong,mistake,failure,linter,multiply,multiplication
circuit-board:computing,electricity,electronics
citrus:lemon,orange,grapefruit,fruit
clapperboard:movie,film,video,camera,cinema,cut,action,television,tv,show,entertainment
clef-alto:do,c,music,note,key,soprano,mezzo,alto,staff,pitch,baritone,major,scale
clef-bass:fa,f,music,note,key,baritone,staff,pitch,bass,subbass,major,scale
clef-treble:sol,g,music,note,key,treble,staff,pitch,violin,solfege,major,scale
clipboard:copy,paste
clipboard-check:copied,pasted,done,todo,tick,complete,task
clipboard-clock:copy,paste,history,log,clock,time,watch,alarm,hour,minute,reminder,scheduled,deadline,pending,time tracking,timesheets,appointment,logbook
clipboard-copy:copy,paste
clipboard-list:copy,paste,tasks
clipboard-minus:copy,delete,remove,erase,document,medical,report,doctor
clipboard-paste:copy,paste
clipboard-pen:clipboard edit,paste,signature
clipboard-pen-line:clipboard signature,paste
clipboard-plus:copy,paste,add,create,new,document,medical,report,doctor
clipboard-type:paste,format,text
clipboard-x:copy,paste,discard,remove
clock:time,watch,alarm
clock-1:time,watch,alarm
clock-10:time,watch,alarm
clock-11:time,watch,alarm
clock-12:time,watch,alarm,noon,midnight
clock-2:time,watch,alarm
clock-3:time,watch,alarm
clock-4:time,watch,alarm
clock-5:time,watch,alarm
clock-6:time,watch,alarm
clock-7:time,watch,alarm
clock-8:time,watch,alarm
clock-9:time,watch,alarm
clock-alert:time,watch,alarm,warning,wrong
clock-arrow-down:time,watch,alarm,sort,order,ascending,descending,increasing,decreasing,rising,falling
clock-arrow-left:time,watch,alarm,assign,range
clock-arrow-right:time,watch,alarm,range,unassign
clock-arrow-up:time,watch,alarm,sort,order,ascending,descending,increasing,decreasing,rising,falling
clock-check:time,watch,alarm
clock-fading:time,watch,alarm
clock-plus:time,watch,alarm,add,create,new
closed-caption:tv,movie,video,closed captions,subtitles,subhead,transcription,transcribe,dialogue,accessibility
cloud:weather
cloud-alert:weather,danger,warning,alert,error,sync,network,exclamation
cloud-backup:storage,memory,bytes,servers,backup,time machine,rotate,synchronize,synchronise,refresh,reconnect,transfer,data,security,upload,save,remote,safety
cloud-check:sync,network,success,done,completed,saved,persisted
cloud-cog:computing,ai,cluster,network
cloud-download:download cloud,import
cloud-drizzle:weather,shower
cloud-fog:weather,mist
cloud-hail:weather,rainfall
cloud-lightning:weather,bolt
cloud-moon:weather,night
cloud-moon-rain:weather,partly,night,rainfall
cloud-off:disconnect
cloud-rain:weather,rainfall
cloud-rain-wind:weather,rainfall
cloud-snow:weather,blizzard
cloud-sun:weather,partly
cloud-sun-rain:weather,partly,rainfall
cloud-sync:synchronize,synchronise,refresh,reconnect,transfer,backup,storage,upload,download,connection,network,data
cloud-upload:upload cloud,file
cloudy:weather,clouds
clover:leaf,luck,plant
club:shape,suit,playing,cards
code:source,programming,html,xml
code-xml:code 2,source,programming,html,xml
coffee:drink,cup,mug,tea,cafe,hot,beverage
cog:computing,settings,edit,gear,preferences,controls,configuration,fixed,build,construction,parts
coins:money,cash,finance,gamble
columns-2:columns,lines,list,queue,preview,panel,parallel,series,split,vertical,horizontal,half,center,middle,even,sidebar,drawer,gutter,fold,reflow,typography,pagination,pages
columns-3:panels left right,lines,list,queue,preview,parallel,series,split,vertical,horizontal,thirds,triple,center,middle,alignment,even,sidebars,drawers,gutters,fold,reflow,typography,pagination,pages
columns-3-cog:columns settings,table config,columns,settings,customize,table,grid,adjust,configuration,panel,layout
columns-4:lines,list,queue,preview,parallel,series,split,vertical,horizontal,thirds,triple,center,middle,alignment,even,sidebars,drawers,gutters,fold,reflow,typography,pagination,pages,prison,jail,bars,sentence,police,cops,cell,crime,criminal,justice,law,enforcement,grill
combine:cubes,packages,parts,units,collection,cluster,gather,merge
command:keyboard,key,mac,cmd,button
compass:direction,north,east,south,west,browser
component:design,element,group,module,part,symbol
computer:pc,chassis,codespaces
concierge-bell:reception,bell,porter
cone:conical,triangle,triangular,geometry,filter,funnel,hopper,spotlight,searchlight
construction:roadwork,maintenance,blockade,barricade
contact:user,person,family,friend,acquaintance,listing,networking
contact-round:contact 2,user,person,family,friend,acquaintance,listing,networking
container:storage,shipping,freight,supply chain,environment,devops,code,coding
contrast:display,accessibility
cookie:biscuit,snack,dessert,food,sweet,bakery,consent,privacy,legal,tracking,browser,website
cooking-pot:pod,cooking,recipe,food,kitchen,chef,restaurant,dinner,lunch,breakfast,meal,eat
copy:clone,duplicate,multiple
copy-check:clone,duplicate,done,multiple
copy-minus:clone,duplicate,remove,delete,collapse,subtract,multiple,-
copy-plus:clone,duplicate,add,multiple,expand,+
copy-slash:clone,duplicate,cancel,ban,no,stop,forbidden,prohibited,error,multiple,divide,division,split,or,/
copy-x:cancel,close,delete,remove,clear,multiple,multiply,multiplication,times
copyleft:licence
copyright:licence,license
corner-down-left:arrow,return
corner-down-right:arrow,indent,tab
corner-left-down:arrow
corner-left-up:arrow
corner-right-down:arrow
corner-right-up:arrow
corner-up-left:arrow
corner-up-right:arrow
cpu:processor,cores,technology,computer,chip,circuit,memory,ram,specs,gigahertz,ghz
cpu-ai:ai,artificial intelligence,machine learning,neural network,automation,intelligence,generative,assistant,chatbot,llm,deep learning,inference,training,mlops,model,predictive,on-device,edge,api,service,cognitive,processor,chip
creative-commons:licence,license
credit-card:bank,purchase,payment,cc
credit-card-check:debit,payment,banking,finance,transaction,wallet,purchase,checkout,billing,account,cardholder,verified,approved,authorized,valid,success,complete,check,bank,cc
credit-card-minus:debit,payment,remove,delete,unlink,revoke,decline,canceled,banking,finance,wallet,transaction,billing,account,purchase,checkout,subtract,minus,bank,cc
credit-card-plus:debit,payment,banking,finance,transaction,wallet,purchase,checkout,billing,account,cardholder,add,new,link,save,method,plastic,bank,cc
credit-card-reader:bank,purchase,payment,cc,atm,terminal,checkout,kiosk,pos,point of sale,transaction,contactless,chip,swipe,tap,banking,finance,retail
credit-card-x:debit,payment,banking,finance,transaction,wallet,purchase,checkout,billing,account,cardholder,declined,rejected,failed,invalid,canceled,error,cancel,bank,cc
croissant:bakery,cooking,food,pastry
crop:photo,image
cross:healthcare,first aid
crosshair:aim,target
crown:diadem,tiara,circlet,corona,king,ruler,winner,favourite
cuboid:brick,block,box,3d,solid,volume,container,storage,shipping,carton,geometry,rectangular,hexahedron,butter,tofu,soap,cheese,package,parcel,crate
cup-soda:beverage,cup,drink,soda,straw,water
cupcake:cake,dessert,food,celebration,sweet,baking,cooking
currency:finance,money
cylinder:shape,elliptical,geometry,container,storage,tin,pot
dam:electricity,energy,water
database:storage,memory,container,tin,pot,bytes,servers
database-arrow-down:storage,memory,bytes,server,export,download,backup,pull,downsize
database-arrow-up:storage,memory,bytes,server,import,upload,backup,push,upscale
database-backup:storage,memory,bytes,servers,backup,time machine,rotate,arrow,left
database-check:storage,memory,bytes,server,check,success,valid,verified,confirmed,complete
database-minus:storage,memory,bytes,server,minus,remove,delete,reduce
database-plus:storage,memory,bytes,server,plus,add,create,insert,new,expand
database-search:storage,memory,container,tin,pot,bytes,servers
database-x:storage,memory,bytes,server,x,error,failed,invalid,rejected,denied,clear,remove,disconnect
database-zap:cache busting,storage,memory,bytes,servers,power,crash
decimals-arrow-left:numerical,decimal,decrease,less,fewer,precision,rounding,digits,fraction,float,number
decimals-arrow-right:numerical,decimal,increase,more,precision,rounding,digits,fraction,float,number
delete:backspace,remove
dessert:pudding,christmas,xmas,custard,iced bun,icing,fondant,cake,ice cream,gelato,sundae,scoop,dollop,sugar,food,sweet
diameter:shape,circle,geometry,trigonometry,width,height,size,calculate,measure
diamond:square,rectangle,oblique,rhombus,shape,suit,playing,cards
diamond-minus:keyframe,subtract,remove,decrease,reduce,calculator,button,keyboard,line,divider,separator,horizontal rule,hr,html,markup,markdown,---,toolbar,operator,code,coding,minimum,downgrade
diamond-percent:percent diamond,verified,unverified,sale,discount,offer,marketing,sticker,price tag
diamond-plus:keyframe,add,new,increase,increment,positive,calculate,toolbar,crosshair,aim,target,scope,sight,reticule,maximum,upgrade,extra,+
dice-1:dice,random,tabletop,1,board,game
dice-2:dice,random,tabletop,2,board,game
dice-3:dice,random,tabletop,3,board,game
dice-4:dice,random,tabletop,4,board,game
dice-5:dice,random,tabletop,5,board,game
dice-6:dice,random,tabletop,6,board,game
dices:dice,random,tabletop,board,game
diff:patch,difference,compare,plus,minus,plus-minus,math
disc:album,music,songs,format,cd,dvd,vinyl,sleeve,cover,platinum,compilation,ep,recording,playback,spin,rotate,rpm,dj
disc-2:album,music,vinyl,record,cd,dvd,format,dj,spin,rotate,rpm
disc-3:album,music,vinyl,record,cd,dvd,format,dj,spin,rotate,rpm
disc-album:album,music,songs,format,cd,dvd,vinyl,sleeve,cover,platinum,compilation,ep,recording,playback,spin,rotate,rpm,dj
divide:calculate,math,division,operator,code,÷,/
dna:gene,gmo,helix,heredity,chromosome,nucleic acid
dna-off:gene,gmo free,helix,heredity,chromosome,nucleic acid
dock:desktop,applications,launch,home,menu bar,bottom,line,macos,osx
dog:animal,pet,puppy,hound,canine
dollar-sign:currency,money,payment
dome:roof,cupola,rotunda,shelter,building,architecture,structure,church,christian,orthodox,byzantine,cathedral,basilica,chapel,monument,landmark,museum,observatory,heritage
donut:doughnut,sprinkles,topping,fast food,junk food,snack,treat,sweet,sugar,dessert,hollow,ring
door-closed:entrance,entry,exit,ingress,egress,gate,gateway,emergency exit
door-closed-cog:room,entrance,entry,settings,gear,access,automation
door-closed-locked:entrance,entry,exit,ingress,egress,gate,gateway,emergency exit,lock
door-closed-package:delivery,parcel,doorstep,shipping,drop-off,courier
door-open:entrance,entry,exit,ingress,egress,gate,gateway,emergency exit
door-stairwell:staircase,stairway,stairs,steps,ladder,transition,access,structure,spiral,building,vertical,movement,floor,level,entrance,entry,exit,egress,route,indoor,emergency exit
dot:interpunct,interpoint,middot,step,punctuation,period,full stop,end,finish,final,characters,font,typography,type,center,.
download:import,export,save
drafting-compass:geometry,trigonometry,radius,diameter,circumference,calculate,measure,arc,curve,draw,sketch
drama:masks,theater,theatre,entertainment,show
drill:power,bit,head,hole,diy,toolbox,build,construction
drone:quadcopter,uav,aerial,flight,flying,technology,airborne,robotics
droplet:water,weather,liquid,fluid,wet,moisture,damp,bead,globule
droplet-off:water,weather,liquid,fluid,wet,moisture,damp,bead,globule
droplets:water,weather,liquid,fluid,wet,moisture,damp,bead,globule
drum:drummer,kit,sticks,instrument,beat,bang,bass,backing track,band,play,performance,concert,march,music,audio,sound,noise,loud
drumstick:food,chicken,meat
dumbbell:barbell,weight,workout,gym
ear:hearing,noise,audio,accessibility
ear-off:hearing,hard of hearing,hearing loss,deafness,noise,silence,audio,accessibility
earth:globe 2,world,browser,language,translate,globe
earth-lock:vpn,private,privacy,network,world,browser,security,encryption,protection,connection
eclipse:lunar,solar,crescent moon,sun,earth,day,night,planet,space,mode,dark,light,toggle,switch,color,css,styles,display,accessibility,contrast,brightness,blend,shade
egg:bird,chicken,nest,hatch,shell,incubate,soft boiled,hard,breakfast,brunch,morning,easter
egg-fried:food,breakfast
egg-off:egg free,vegan,hatched,bad egg
eighth-note:music 2,audio,music,sound,note,quaver
eighth-notes:music,audio,sound,notes,quavers
eject:disc,drive,dvd,blu-ray,cd,media,optical,optical drive,removable media,storage,tray,unmount,usb
ellipse:shape,geometry,rounded,smooth,outline,form,boundary,curve,shapes,oval
ellipsis:more horizontal,et cetera,etc,loader,loading,progress,pending,throbber,menu,options,operator,code,coding,spread,rest,more,further,extra,overflow,dots,…,...
ellipsis-vertical:more vertical,menu,options,spread,more,further,extra,overflow,dots,…,...
emirati-dirham:currency,money,payment,finance,price,aed,arab emirates dirham,uae,united arab emirates,cash,currency symbol,middle east,gulf,banking,invoice,exchange rate
engine:vehicle,power,energy,drive,repair,car,motor,mechanical,diagnostics,maintenance,warning,dashboard,parts
equal:calculate,math,operator,assignment,code,=
equal-approximately:about,calculate,math,operator
equal-approximately-not:calculate,math,operator,not,approximately,unequal,code,≇,tolerance,threshold,mismatch,comparison,assertion,variance
equal-not:calculate,off,math,operator,code,≠
eraser:pencil,drawing,undo,delete,clear,trash,remove
ethernet-port:internet,network,connection,cable,lan,port,router,switch,hub,modem,web,online,networking,communication,socket,plug,slot,controller,connector,interface,console,signal,data,input,output
euro:currency,money,payment
ev-charger:electric,charger,station,vehicle,fast,plug,ev,power,electricity,energy,accumulator,charge
expand:scale,fullscreen,maximize,minimize,contract
external-link:outbound,open,share
eye:view,watch,see,show,expose,reveal,display,visible,visibility,vision,preview,read
eye-closed:view,watch,see,hide,conceal,mask,hidden,visibility,vision
eye-dashed:view,watch,see,hide,conceal,mask,hidden,invisible,visibility,vision
eye-off:view,watch,see,hide,conceal,mask,hidden,visibility,vision
face-angry:angry,anger,rage,fury,resentment,irritation,disgust,emoji,emotion
face-expressionless:annoyed,nuisance,annoyance,frustration,emoji,emotion
face-grinning:laugh,happy,happiness,good,broad smile,pleasure,good cheer,humour,funny,emoji,emotion
face-neutral:meh,emoji,neutral,emotion,blank stare,social masking,irritation,concern,deadpan
face-slightly-frowning:frown,emoji,bad,sadness,emotion,concern,disappointment
face-slightly-smiling:smile,happy,happiness,good,positive,friendly,patronizing,passive aggressive,ironic,emoji,emotion
face-slightly-smiling-plus:smile plus,smile,happy,good,react,reaction,emoji,add,emotion
factory:building,business,energy,industry,manufacture,sector
fan:air,cooler,ventilation,ventilator,blower
fast-forward:music
faucet:tap,spigot,water,drinking,fresh,source,pipes,plumbing,plumber,sink,basin,kitchen,bathroom,washroom,fixture,valve,flow,drinkable,potable,amenities,utilities,hydration
feather:quill,plume,writing,author,literature,poetry,manuscript,bird,plumage,lightweight,soft
fence:picket,panels,woodwork,diy,materials,suburban,garden,property,territory
ferris-wheel:big wheel,daisy wheel,observation,attraction,entertainment,amusement park,theme park,funfair
file:document
file-archive:zip,package,archive
file-axis-3d:file axis 3 d,model,3d,axis,coordinates
file-badge:file badge 2,award,achievement,badge,rosette,prize,winner
file-box:document,page,sheet,cube,box,3d,model,asset,object,geometry,mesh,ar,augmented reality,cad,design,blueprint,draft,package,scene
file-braces:file json,code,json,curly braces,curly brackets
file-braces-corner:file json 2,code,json,curly braces,curly brackets
file-chart-column:file bar chart 2,statistics,analytics,diagram,graph,presentation
file-chart-column-increasing:file bar chart,statistics,analytics,diagram,graph,presentation,trending up
file-chart-line:file line chart,statistics,analytics,diagram,graph,presentation
file-chart-pie:file pie chart,statistics,analytics,diagram,graph,presentation
file-check:done,document,todo,tick,complete,task
file-check-corner:file check 2,done,document,todo,tick,complete,task
file-clock:history,log,clock
file-code:script,document,gist,html,xml,property list,plist
file-code-corner:file code 2,script,document,html,xml,property list,plist
file-cog:file cog 2,executable,settings,cog,edit,gear
file-diff:diff,patch
file-digit:number,document
file-down:download,import,export
file-exclamation-point:file warning,hidden,warning,alert,danger,protected,exclamation mark
file-headphone:file audio 2,file audio,music,audio,sound,headphones
file-heart:heart,favourite,bookmark,quick link
file-image:image,graphics,photo,picture
file-input:document
file-key:file key 2,key,private,public,security
file-lock:file lock 2,lock,password,security
file-minus:delete,remove,erase,document
file-minus-corner:file minus 2,document
file-music:audio,sound,noise,track,digital,recording,playback,piano,keyboard,keys,notes,chord,midi,octave
file-output:document
file-pen:file edit,signature
file-pen-line:file signature,edit
file-play:file video,movie,video,film
file-plus:add,create,new,document
file-plus-corner:file plus 2,add,create,new,document
file-question-mark:file question,readme,help,question
file-scan:scan,code,qr-code
file-search:lost,document,find,browser,lens
file-search-corner:file search 2,lost,document,find,browser,lens
file-signal:file volume 2,audio,music,volume
file-sliders:cogged,gear,mechanical,machinery,configuration,controls,preferences,settings,system,admin,edit,executable
file-spreadsheet:spreadsheet,sheet,table
file-stack:versions,multiple,copy,documents,revisions,version control,history
file-symlink:symlink,symbolic,link
file-terminal:terminal,bash,script,executable
file-text:data,txt,pdf,document
file-type:font,text,typography,type
file-type-corner:file type 2,font,text,typography,type
file-up:upload,import,export
file-user:person,personal information,people,listing,networking,document,contact,cover letter,resume,cv,curriculum vitae,application form
file-video-camera:file video 2,movie,video,film
file-volume:audio,music,volume
file-x:lost,delete,remove,document
file-x-corner:file x 2,lost,delete,remove,document
files:multiple,copy,documents
film:movie,video,reel,camera,cinema,entertainment
fingerprint-pattern:fingerprint,2fa,authentication,biometric,identity,security
fire-extinguisher:flames,smoke,foam,water,spray,hose,firefighter,fireman,department,brigade,station,emergency,suppress,compressed,tank,cylinder,safety,equipment,amenities
fish:dish,restaurant,course,meal,seafood,pet,sea,marine
fish-off:food,dish,restaurant,course,meal,seafood,animal,pet,sea,marine,allergy,intolerance,diet
fish-symbol:dish,restaurant,course,meal,seafood,pet,sea,marine
fishing-hook:sea,boating,angler,bait,reel,tackle,marine,outdoors,fish,fishing,hook,sports,travel
fishing-rod:fishing,rod,hobby,equipment,reel
flag:report,marker,notification,warning,milestone,goal,notice,signal,attention,banner
flag-off:unflag,unmark,report,marker,notification,warning,milestone,goal,notice,signal,attention,banner
flag-triangle-left:report,timeline,marker,pin
flag-triangle-right:report,timeline,marker,pin
flame:heat,burn,light,glow,ignite,passion,ember,fire,lit,burning,spark,embers,smoke,firefighter,fireman,department,brigade,station,emergency
flame-kindling:campfire,camping,wilderness,outdoors,lit,warmth,wood,twigs,sticks
flashlight:torch,light,beam,emergency,safety,tool,bright
flashlight-off:torch,light,beam,emergency,safety,tool,bright
flask-conical:beaker,erlenmeyer,lab,chemistry,experiment,test
flask-conical-off:beaker,erlenmeyer,non toxic,lab,chemistry,experiment,test
flask-round:beaker,lab,chemistry,experiment,test
flower:sustainability,nature,plant,spring
flower-2:sustainability,nature,plant
focus:camera,lens,photo,dashed
fold-horizontal:arrow,collapse,fold,vertical,dashed
fold-vertical:arrow,collapse,fold,vertical,dashed
folder:directory
folder-archive:archive,zip,package
folder-bookmark:folder,bookmark,file,mark,storage,archive,directory,project,favorite,save,read later
folder-check:done,directory,todo,tick,complete,task
folder-clock:history,directory,clock
folder-closed:directory,closed
folder-code:directory,coding,develop,software
folder-cog:folder cog 2,directory,settings,control,preferences,cog,edit,gear
folder-dot:directory,root,project,pinned,active,current,cogged,gear,mechanical,machinery,configuration,controls,preferences,settings,system,admin,edit
folder-down:directory,download,import,export
folder-git:directory,root,project,git,repo
folder-git-2:directory,root,project,git,repo
folder-heart:directory,heart,favourite,bookmark,quick link
folder-input:directory,import,export
folder-kanban:projects,manage,overview,board,tickets,issues,roadmap,plan,intentions,productivity,work,agile,code,coding,directory,project,root
folder-key:directory,key,private,security,protected
folder-lock:directory,lock,private,security,protected
folder-minus:directory,remove,delete
folder-open:directory
folder-open-dot:directory,root,project,active,current,pinned
folder-output:directory,import,export
folder-pen:folder edit,directory,rename
folder-plus:directory,add,create,new
folder-root:directory,root,project,git,repo
folder-search:directory,search,find,lost,browser,lens
folder-search-2:directory,search,find,lost,browser,lens
folder-symlink:directory,symlink,symbolic,link
folder-sync:directory,synchronize,synchronise,refresh,reconnect,transfer,backup
folder-tree:directory,tree,browser
folder-up:directory,upload,import,export
folder-user:directory,profile,person,personal,contact,document,account,individual,home folder,shared,access,owner
folder-users:directory,profile,shared,people,document,accounts,group,team,permission,access,collaboration,organization
folder-x:directory,remove,delete
folders:multiple,copy,directories
footprints:steps,walking,foot,feet,trail,shoe
forklift:machinery,industrial,warehouse,lifting,storage,equipment,heavy-duty,moving,vehicle,transport,logistics
form:document,page,file,layout,paper,stub,formality,structure,template,inputs,design,components
forward:send,share,email
frame:logo,design,tool
fuel:filling-station,gas,petrol,tank
fullscreen:expand,zoom,preview,focus,camera,lens,image
funnel:filter,hopper
funnel-plus:filter,hopper,add,create,new
funnel-x:filter x,filter,hopper,remove,delete
galaxy:astronomy,space,stars,cosmos,universe,spiral,milky way,nebula,cosmology,interstellar,celestial,constellation,stargazing,spaceflight
gallery-horizontal:carousel,pictures,images,scroll,swipe,album,portfolio
gallery-horizontal-end:carousel,pictures,images,scroll,swipe,album,portfolio,history,versions,backup,time machine
gallery-thumbnails:carousel,pictures,images,album,portfolio,preview
gallery-vertical:carousel,pictures,images,scroll,swipe,album,portfolio
gallery-vertical-end:carousel,pictures,images,scroll,swipe,album,portfolio,history,versions,backup,time machine
gamepad:console
gamepad-2:console
gamepad-directional:direction,arrow,controller,navigation,button,move,pointer,arrowhead,console,game,gaming
gap-horizontal:gap,spacing,space,between,padding,margin,horizontal,auto layout,layout,distance,frame,distribute
gap-vertical:gap,spacing,space,between,padding,margin,vertical,auto layout,layout,distance,frame,distribute
gauge:dashboard,dial,meter,speed,pressure,measure,level
gavel:justice,law,court,judgment,legal,hands,penalty,decision,authority,hammer,mallet
gem:diamond,crystal,ruby,jewellery,price,special,present,gift,ring,wedding,proposal,marriage,rubygems
georgian-lari:currency,money,payment
germ:virus,microbe,bacterium,bacteria,organism,cilia,pathogen,infection,disease,contagion,contamination,microbiology,health,medicine,biology,science,microorganism,pandemic,epidemic,outbreak,amoeba,flu,security,single cell,unicellular,vaccine,immunity,quarantine
germ-off:virus,microbe,bacterium,bacteria,germ,organism,cilia,pathogen,infection,disease,contagion,contamination,microbiology,health,medicine,biology,science,microorganism,pandemic,epidemic,outbreak,amoeba,flu,security,single cell,unicellular,vaccine,immunity,quarantine
ghost:spirit,haunt,specter,apparition,wraith,shade,phantom,entity,shadow,silhouette,pac-man,spooky,halloween,haunted,invisible,hidden,empty,dead,obsolete,outdated
gift:present,box,birthday,party
git-branch:code,version control,vcs,repository
git-branch-minus:code,version control,vcs,repository,delete,remove,-
git-branch-plus:code,version control,vcs,repository,add,create,+
git-commit-horizontal:git commit,code,version control,waypoint,stop,station
git-commit-vertical:code,version control,waypoint,stop,station
git-compare:code,version control,diff
git-compare-arrows:code,version control,diff
git-fork:code,version control
git-graph:code,version control,commit graph,commits,gitlens
git-merge:code,version control
git-merge-conflict:code,version control,commits,diff,error,conflict
git-pull-request:code,version control,open
git-pull-request-arrow:code,version control,open
git-pull-request-closed:code,version control,rejected,closed,cancelled,x
git-pull-request-create:code,version control,open,plus,add,+
git-pull-request-create-arrow:code,version control,open,plus,add,+
git-pull-request-draft:code,version control,open,draft,dashed
glass-water:beverage,drink,glass,water
glasses:spectacles
globe:world,browser,language,translate
globe-check:world,browser,language,translate,internet,web,check,verified,success,valid,available,online,status
globe-code:website,internet,globe,connection,network,digital,access,global,link,world,browser,language,translate
globe-lock:vpn,private,privacy,network,world,browser,security,encryption,protection,connection
globe-off:globe,earth,planet,disable,mute,off,hide,avoid,world,browser,language,translate,internet,offline,disconnected,network,connection,no connection,network failure,signal off
globe-x:globe,internet,offline,disconnected,network,connection,world,no connection,network failure,signal off
goal:flag,bullseye
gpu:processor,cores,technology,computer,chip,circuit,specs,graphics processing unit,video card,display adapter,gddr,rendering,digital image processing,crypto mining
graduation-cap:school,university,learn,study,mortarboard,education,ceremony,academic,hat,diploma,bachelor's,master's,doctorate
grape:fruit,wine,food
graph-hub:load balancer,distribute,traffic,network,nodes,parallel,branch,hierarchy,routing,dispatcher,cluster,backend,fan-out,topology,orchestration
graph-star:mind map,network,hub,nodes,links,connections,relationships,dependencies,bonds,structure,topology,cluster,thoughts,ideas,concepts,molecule
grid-2x2:grid 2 x 2,table,rows,columns,blocks,plot,land,geometry,measure,size,width,height,distance,surface area,square meter,acre,window,skylight
grid-2x2-check:grid 2 x 2 check,table,rows,columns,blocks,plot,land,geometry,measure,data,size,width,height,distance,surface area,square meter,acre
grid-2x2-plus:grid 2 x 2 plus,table,rows,columns,blocks,plot,land,geometry,measure,data,size,width,height,distance,surface area,square meter,acre
grid-2x2-x:grid 2 x 2 x,table,rows,columns,data,blocks,plot,land,geometry,measure,size,width,height,distance,surface area,square meter,acre
grid-3x2:table,rows,columns,blocks,plot,land,geometry,measure,size,width,height,distance,surface area,square meter,acre,window
grid-3x3:grid 3 x 3,grid,table,rows,columns
grip:grab,dots,handle,move,drag
grip-horizontal:grab,dots,handle,move,drag
grip-vertical:grab,dots,handle,move,drag
groceries:food,vegetables,health,grocery,market,farmer,produce,pantry,paper bag,shop,supermarket,retail,delivery,larder,provisions,takeout
group:cubes,packages,parts,units,collection,cluster,gather,dashed
guitar:acoustic,instrument,strings,riff,rock,band,country,concert,performance,play,lead,loud,music,audio,sound,noise
guitar-electric:acoustic,instrument,strings,riff,rock,band,country,concert,performance,play,lead,loud,music,audio,sound,noise
half-note:music 3,audio,music,sound,note,crotchet,minim,quarter note
ham:food,pork,pig,meat,bone,hock,knuckle,gammon,cured
hamburger:burger,cheeseburger,meat,beef,patty,bun,fast food,junk food,takeaway,takeout,snack,dish,restaurant,lunch,meal,savory,savoury,cookery,cooking,grilled,barbecue,barbeque,bbq,lettuce,tomato,relish,pickles,onions,ketchup,mustard,mayonnaise
hammer:mallet,nails,diy,toolbox,build,construction
hand:wave,move,mouse,grab
hand-coins:savings,banking,money,finance,offers,mortgage,payment,received,wage,payroll,allowance,pocket money,handout,pennies
hand-fist:clench,strength,power,unity,solidarity,rebellion,victory,triumph,support,fight,combat,brawl
hand-grab:grab,hand
hand-heart:love,like,emotion
hand-helping:helping hand,agreement,help,proposal,charity,begging,terms
hand-metal:rock
hand-platter:waiter,waitress,restaurant,table service,served,dinner,dining,meal,course,luxury
handbag:bag,baggage,carry,clutch,fashion,luggage,purse,tote,travel
handle-bottom-right:mouse,grab,handle,move,drag,resize,corner
handshake:agreement,partnership,deal,business,assistance,cooperation,friendship,union,terms
hard-drive:computer,server,memory,data,ssd,disk,hard disk,storage,hardware,backup,media
hard-drive-download:computer,server,memory,data,ssd,disk,hard disk,save
hard-drive-upload:computer,server,memory,data,ssd,disk,hard disk,save
hard-hat:helmet,construction,safety
hash:hashtag,number,pound
hat-glasses:incognito,disguise,costume,masked,anonymous,anonymity,privacy,private browsing,stealth,hidden,undercover,cloak,invisible,ghost,spy,agent,detective,identity,cap,fedora,spectacles,shades,sunglasses,eyewear
haze:mist,fog
hd:tv,resolution,video,high definition,720p,1080p
hdmi-port:socket,plug,slot,controller,connector,interface,console,signal,audio,video,visual,av,data,input,output
heading:h1,html,markup,markdown
heading-1:h1,html,markup,markdown
heading-2:h2,html,markup,markdown
heading-3:h3,html,markup,markdown
heading-4:h4,html,markup,markdown
heading-5:h5,html,markup,markdown
heading-6:h6,html,markup,markdown
headphone-off:music,audio,sound,mute,off
headphones:music,audio,sound
headset:music,audio,sound,gaming,headphones,call,center,phone,telephone,voip,video
heart:like,love,emotion,suit,playing,cards
heart-crack:heartbreak,sadness,emotion
heart-handshake:agreement,charity,help,deal,terms,emotion,together,handshake
heart-minus:unlike,unfavorite,remove,delete,damage
heart-off:unlike,dislike,hate,emotion
heart-plus:plus,like,favorite,add,health,support
heart-pulse:heartbeat,pulse,health,medical,blood pressure,cardiac,systole,diastole
heart-x:unlike,unfavorite,remove,reject,dismiss,delete,clear
heater:heating,warmth,comfort,fire,stove,electric,electronics,amenities
helicopter:transport,flying,rotor,aviation,helipad,gear,flyer,technology,aircraft,vehicle
hexagon:shape,node.js,logo
highlighter:mark,text
hiking-stick:hiking,walking,stick,trekking,trail,pole,backpacking,outdoors,mountains
hockey-stick:sport,campus,puck,athlete,ice,player,goal,cricket,bat,sports,game,equipment,stick,ball,match,play
hop:beer,brewery,drink
hop-off:beer,brewery,drink,hop free,allergy,intolerance,diet
hospital:infirmary,sanatorium,healthcare,doctor,hospice,clinic,emergency room,ward,building,medical,vet
hot-air-balloon:aircraft,flight,adventure,travel,sky,celebration,festive
hotel:building,hostel,motel,inn
hourglass:timer,time,sandglass
hourglass-cog:timer,time,sandglass,duration,settings,gear,cog,edit,configuration,countdown,timeout,expiration
house:home,living,building,residence,architecture
house-cog:home,building,residence,settings,gear,configuration,property,automation
house-heart:home sweet home,abode,building,residence,healthy living,lifestyle
house-plug:home,living,building,residence,architecture,autarky,energy
house-plus:home,living,medical,new,addition,building,residence,architecture
house-wifi:home,living,building,wifi,connectivity
houses:homes,housing,estate,living,buildings,development,residences,residential,village,neighbourhood,accommodation,community,dwellings,architecture
ice-cream-bowl:ice cream 2,gelato,food,dessert,dish,restaurant,course,meal
ice-cream-cone:ice cream,gelato,food
id-card:card,badge,identity,authentication,secure
id-card-lanyard:id-card,identity,employee,gate-pass,badge
image:picture,photo
image-down:picture,photo,download,save,export
image-minus:remove,delete
image-off:picture,photo
image-play:picture,gif,photo
image-plus:add,create,picture
image-up:picture,photo,upload,import
image-upscale:resize,picture,sharpen,increase
images:picture,photo,multiple,copy,gallery,album,collection,slideshow,showcase
import:save
inbox:email
indian-rupee:currency,money,payment
infinity:unlimited,forever,loop,math
info:about,advice,clue,details,help,hint,indicator,information,knowledge,notice,status,support,tooltip
inspection-panel:access,cover,tile,metal,materials,screws
italic:oblique,text,format
iteration-ccw:arrow,right
iteration-cw:arrow,left
iv-bag:intravenous,therapy,infusion,medicine,medication,treatment,healthcare,hydration,vitamin,supplement,blood,donation,chemotherapy,clinic,feeding tube,administration,health,regeneration
japanese-yen:currency,money,payment
joystick:game,console,control stick
kanban:projects,manage,overview,board,tickets,issues,roadmap,plan,intentions,productivity,work,agile,code,coding
kayak:boat,paddle,water,sport,recreation,adventure,outdoors,equipment,lake,ocean
kazakh-tenge:currency,money,payment,kazakhstan,currency-symbol,exchange,cash
key:password,login,authentication,secure,unlock,keychain,key ring,fob
key-round:password,login,authentication,secure,unlock
key-square:password,login,authentication,secure,unlock,car key
keyboard:layout,spell,settings,mouse
keyboard-music:music,audio,sound,noise,notes,keys,chord,octave,midi,controller,instrument,electric,signal,digital,studio,production,producer,pianist,piano,play,performance,concert
keyboard-off:unkeys,layout,spell,settings,mouse
lambda:greek,symbol,math,function,programming,serverless,anonymous,functional,cloud,wavelength,calculus,linear algebra
lamp:lighting,household,home,furniture
lamp-ceiling:lighting,household,home,furniture
lamp-desk:lighting,household,office,desk,home,furniture
lamp-floor:lighting,household,floor,home,furniture
lamp-wall-down:lighting,household,wall,home,furniture
lamp-wall-up:lighting,household,wall,home,furniture
land-plot:area,surface,square metres,allotment,parcel,property,plane,acres,measure,distance,isometric,flag,golf course,hole
landmark:bank,building,capitol,finance,money,museum,art gallery,hall,institute,pediment,portico,doric,columns,pillars,classical,architecture,government,institution,monument,site,history,historic,library,temple,ancient,structure
languages:translate
laptop:computer,screen,remote
laptop-minimal:laptop 2,computer,screen,remote
laptop-minimal-check:computer,screen,remote,success,done,todo,tick,complete,task
lasso:select,cursor
lasso-select:select,cursor
layer-arrow-down:move back,backward,lower,demote,step back,behind,reorder,arrange,layer,layers,stack,stacking,z-index,depth,graphics,design
layer-arrow-up:move forward,forward,raise,lift,promote,advance,step forward,reorder,arrange,stack,stacking,z-index,depth,graphics,design
layers:layers 3,stack,pile,pages,sheets,paperwork,copies,copy
layers-2:stack,pile,pages,sheets,paperwork,copies,copy,duplicate,double,shortcuts
layers-arrow-down:send to back,send backward,back,background,bottom,bottommost,lower,demote,behind,reorder,arrange,stack,stacking,z-index,depth,graphics,design
layers-arrow-up:bring to front,bring forward,front,foreground,top,topmost,raise,lift,promote,reorder,arrange,stack,stacking,z-index,depth,graphics,design
layers-minus:stack,pile,pages,sheets,paperwork,copies,copy,layers,remove,delete
layers-plus:stack,layers,add,new,increase,create,positive,copy,upgrade
layout-arrow-down:layout,direction,flex,flexbox,flex-direction,column,auto layout,vertical,arrange,order,flow,stack
layout-arrow-right:layout,direction,flex,flexbox,flex-direction,row,auto layout,horizontal,arrange,order,flow,stack
layout-dashboard:masonry,brick
layout-freeform:layout,freeform,free,absolute,position,auto layout,unaligned,scattered,arrange,blocks,canvas,frame
layout-grid:app,home,start
layout-grid-circles:app,home,start,dot matrix,dots,menu,dashboard,collection,overview,tiles,grid,matrix,launcher,apps,widgets,ui,circles,shortcuts
layout-list:todo,tasks,items,pending,image,photo
layout-panel-left:app,home,start,grid
layout-panel-top:window,webpage,block,section,grid,template,structure
layout-template:window,webpage,block,section
leaf:sustainability,nature,energy,plant,autumn
leafy-green:salad,lettuce,vegetable,chard,cabbage,bok choy
lectern:pulpit,podium,stand
lens:optics,reflection,camera,photography,focus,effect,shader,post-process,visual,contact lens,glass,magnify,translucent,transparent,orb,bubble,zoom
lens-concave:concave,lens,optics,light,magnification,curved,focus,refraction,science,physics,eyeglass,telescope,microscope
lens-convex:convex,lens,optics,magnification,focus,light,refraction,physics,eyeglass,telescope,microscope,curved,science
letter-spacing:tracking,kerning,design,lettering,text,letters,characters,font,typography,formatting
letters:abc,alphabet,alphabetical,text,characters,language,typography,literacy,spelling
library:books,reading,written,authors,stories,fiction,novels,information,knowledge,education,high school,university,college,academy,learning,study,research,collection,vinyl,records,albums,music,package
library-big:books,reading,written,authors,stories,fiction,novels,information,knowledge,education,high school,university,college,academy,learning,study,research,collection,vinyl,records,albums,music,package
life-buoy:preserver,life belt,lifesaver,help,rescue,ship,ring,raft,inflatable,wheel,donut
ligature:text,font,typography,alternates,alternatives
lightbulb:idea,bright,lights
lightbulb-off:lights
lighthouse:beacon,coast,navigation,tower,sea,ocean,maritime,guide,safety,light,shine,port,marine,faro,signal,nautical,harbor,shore,light beam,wayfinding,guidance,onboarding,help,landmark
line-dot-bottom-vertical:code,version,control,station,waypoint,start,first
line-dot-left-horizontal:line,dot,left,horizontal,shape,symbol,navigation,arrow,pointer,code,version control,waypoint,stop,start,first,station
line-dot-right-horizontal:code,version control,waypoint,stop,station,last,end
line-dot-top-vertical:arrow,pointer,direction,indicator,code,version,control,waypoint,stop,station,last,end
line-height:leading,text,letters,characters,font,typography,spacing,paragraph,formatting,editor,readability,typesetting
line-squiggle:line,snakes,annotate,curve,doodle,stroke,pen,tool,gesture,draw,wave,art,road
line-style:line,stroke,style,dashed,border
link:chain,url
link-2:chain,url
link-2-off:unchain,chain
list:options
list-check:done,check,tick,complete,list,to-do,bom
list-checks:todo,done,check,tick,complete,tasks,items,pending
list-chevrons-down-up:options,items,collapse,expand,details,disclosure,show,hide,toggle,accordion,more,less,fold,unfold,vertical
list-chevrons-up-down:options,items,collapse,expand,details,disclosure,show,hide,toggle,accordion,more,less,fold,unfold,vertical
list-clock:history,log,clock,time,recent,updated,revision,activity,timestamp,audit,list
list-collapse:items,collapse,expand,details,disclosure,show,hide,toggle,accordion,more,less,fold,unfold
list-end:queue,bottom,end,playlist
list-filter:options
list-filter-plus:filter,plus,options,add
list-indent-decrease:indent decrease,outdent,text,tab
list-indent-increase:indent increase,indent,text,tab
list-minus:playlist,remove,song,subtract,delete,unqueue
list-music:playlist,queue,music,audio,playback
list-ordered:number,order,queue
list-plus:playlist,add,song,track,new
list-restart:reset,refresh,reload,playlist,replay
list-sort-ascending:list,order,arrangement,organization,sequence,ranking,categories,presentation,filter,sort,ascending,descending,increasing,decreasing,rising,falling
list-sort-descending:list,order,arrangement,organization,sequence,ranking,categories,presentation,filter,sort,ascending,descending,increasing,decreasing,rising,falling
list-start:queue,top,start,next,playlist
list-todo:todo,done,check,tick,complete,tasks,items,pending
list-tree:tree,browser
list-video:playlist,video,playback
list-x:playlist,subtract,remove,delete,unqueue
loader:loading,wait,busy,progress,spinner,spinning,throbber
loader-circle:loader 2,loading,wait,busy,progress,spinner,spinning,throbber,circle
loader-pinwheel:loading,wait,busy,progress,throbber,spinner,spinning,beach ball,frozen,freeze
locate:map,gps,location,cross
locate-fixed:map,gps,location,cross
locate-off:map,gps,location,cross
lock:security,password,secure,admin
lock-keyhole:security,password,secure,admin
lock-keyhole-open:unlock keyhole,security
lock-open:unlock,security
log-in:sign in,arrow,enter,auth
log-out:sign out,arrow,exit,auth
logs:options,list,menu,order,queue,tasks
lollipop:lolly,candy,sugar,food,sweet,dessert,spiral
luggage:baggage,travel,suitcase
magnet:horseshoe,lock,science,snap
mail:email,message,letter,unread
mail-badge:email,message,letter,certified,registered,seal,stamp,verified,envelope,rosette,signed,official,delivery
mail-check:email,message,letter,subscribe,delivered,success,read,done,todo,tick,complete,task
mail-clock:email,message,letter,unread,scheduled,delayed,send later,delivery,reminder,pending,outgoing,timer
mail-dot:mail,envelope,communication,post,send,address,notification,email,message,letter,unread,dot
mail-minus:email,message,letter,remove,delete
mail-open:email,message,letter,read
mail-pen:email,message,letter,pen,edit,compose,draft,write,writing,create,reply
mail-plus:email,message,letter,add,create,new,compose
mail-question-mark:mail question,email,message,letter,delivery,undelivered
mail-search:email,message,letter,search,lens
mail-warning:email,message,letter,delivery error,exclamation mark
mail-x:email,message,letter,remove,delete
mailbox:emails,messages,letters,mailing list,newsletter
mails:emails,messages,letters,multiple,mailing list,newsletter,copy
map:location,navigation,travel
map-minus:location,navigation,travel,drop,delete,remove,erase
map-pin:location,waypoint,marker,drop
map-pin-check:location,waypoint,marker,drop,done,tick,complete,task,added
map-pin-check-inside:location,waypoint,marker,drop,done,tick,complete,task,added
map-pin-house:location,waypoint,marker,drop,home,living,building,residence,architecture,address,poi,real estate,property,navigation,destination,geolocation,place,landmark
map-pin-minus:location,waypoint,marker,drop,delete,remove,erase
map-pin-minus-inside:location,waypoint,marker,drop,delete,remove,erase
map-pin-off:location,waypoint,marker,remove
map-pin-pen:location edit,location,waypoint,marker,drop,edit
map-pin-plus:location,waypoint,marker,drop,add,create,new
map-pin-plus-inside:location,waypoint,marker,drop,add,create,new
map-pin-search:location,navigation,travel,waypoint,marker,drop
map-pin-x:location,waypoint,marker,drop,delete,remove,erase
map-pin-x-inside:location,waypoint,marker,drop,delete,remove,erase
map-pinned:location,waypoint,marker,drop
map-plus:location,navigation,travel,new,add,create
mars:gender,sex,male,masculine,man,boy
mars-stroke:gender,androgyne,transgender
martini:cocktail,alcohol,beverage,bar,drink,glass,spirit,party,celebration,mixer
maximize:fullscreen,expand,dashed
maximize-2:fullscreen,arrows,expand
medal:prize,sports,winner,trophy,award,achievement
megaphone:advertisement,announcement,attention,alert,loudspeaker,notification
megaphone-off:advertisement,announcement,attention,alert,loudspeaker,megaphone,notification,disable,silent
memory-stick:ram,random access,technology,computer,chip,circuit,specs,capacity,gigabytes,gb
menu:bars,navigation,hamburger,options
merge:combine,join,unite
message-circle:comment,chat,conversation,dialog,feedback,speech bubble
message-circle-check:comment,chat,conversation,dialog,feedback,speech bubble,moderate,check,done,todo,complete
message-circle-code:comment,chat,conversation,dialog,feedback,speech bubble,code review,coding
message-circle-dashed:comment,chat,conversation,dialog,feedback,speech bubble,draft
message-circle-dashed-check:comment,chat,conversation,dialog,feedback,speech bubble,draft,pending,provisional,verification,confirmation,success,status,check,approval,moderate,resolved,done,complete
message-circle-heart:comment,chat,conversation,dialog,feedback,positive,like,love,interest,valentine,dating,date,speech bubble
message-circle-more:comment,chat,conversation,dialog,feedback,speech bubble,typing,writing,responding,ellipsis,etc,et cetera,...,…
message-circle-off:comment,chat,conversation,dialog,feedback,speech bubble,clear,close,delete,remove,cancel,silence,mute,moderate
message-circle-plus:comment,chat,conversation,dialog,feedback,speech bubble,add
message-circle-question-mark:message circle question,comment,chat,conversation,dialog,feedback,speech bubble,help
message-circle-reply:comment,chat,conversation,dialog,feedback,speech bubble,reply,response
message-circle-text:comment,chat,conversation,dialog,feedback,speech,bubble,sms,texting,messaging,dm,discussion,thread,transcript,written,writing,lines,support,chatbot
message-circle-warning:comment,chat,conversation,dialog,feedback,speech bubble,report,abuse,offense,alert,danger,caution,protected,exclamation mark
message-circle-x:comment,chat,conversation,dialog,feedback,speech bubble,clear,close,delete,remove,cancel,silence,mute,moderate
message-square:comment,chat,conversation,dialog,feedback,speech bubble
message-square-check:comment,chat,conversation,dialog,feedback,speech bubble,moderate,check,done,todo,complete
message-square-code:comment,chat,conversation,dialog,feedback,speech bubble,code review,coding
message-square-dashed:comment,chat,conversation,dialog,feedback,speech bubble,draft
message-square-diff:comment,chat,conversation,dialog,feedback,speech bubble,add,patch,difference,plus,minus,plus-minus,math,code review,coding,version control,git
message-square-dot:unread,unresolved,comment,chat,conversation,dialog,feedback,speech bubble
message-square-heart:comment,chat,conversation,dialog,feedback,positive,like,love,interest,valentine,dating,date,speech bubble
message-square-lock:comment,chat,conversation,dialog,feedback,speech bubble,secure,encrypted
message-square-more:comment,chat,conversation,dialog,feedback,speech bubble,typing,writing,responding,ellipsis,etc,et cetera,...,…
message-square-off:comment,chat,conversation,dialog,feedback,speech bubble,clear,close,delete,remove,cancel,silence,mute,moderate
message-square-plus:comment,chat,conversation,dialog,feedback,speech bubble,add
message-square-quote:comment,chat,conversation,dialog,feedback,speech bubble,blockquote,quotation,indent,reply,response
message-square-reply:comment,chat,conversation,dialog,feedback,speech bubble,reply,response
message-square-share:comment,chat,conversation,dialog,feedback,speech bubble,network,forward
message-square-text:comment,chat,conversation,dialog,feedback,speech bubble
message-square-warning:comment,chat,conversation,dialog,feedback,speech bubble,report,abuse,offense,alert,danger,caution,protected,exclamation mark
message-square-x:comment,chat,conversation,dialog,feedback,speech bubble,clear,close,delete,remove,cancel,silence,mute,moderate
messages-circle:comment,chat,conversation,dialog,feedback,speech bubbles,copy,multiple,discussion,interview,debate,group,group chat,threads,unread,bubble,messaging
messages-square:comment,chat,conversation,dialog,feedback,speech bubbles,copy,multiple,discussion,interview,debate
metronome:tempo,rhythm,beat,bpm,music,audio,sound,practice,timing,timer,time,pulse,sync,cadence,control,playback,studio,tool
mic:record,sound,listen,radio,podcast,microphone
mic-audio-lines:podcast,audio,waveform,sound waves,microphone,talk,voice,speech,stream,recording,transcription,dictation,voice assistant,noise cancellation,sound processing
mic-off:record,sound,mute,microphone
mic-signal:podcast,audio,broadcast,signal,wireless,radio,airwaves,microphone,talk,voice,speech,stream,live,voice chat,push to talk,transmission
mic-vocal:mic 2,lyrics,voice,listen,sound,music,radio,podcast,karaoke,singing,microphone
microchip:processor,cores,technology,computer,chip,integrated circuit,memory,ram,specs,gpu,gigahertz,ghz
microscope:medical,education,science,imaging,research
microwave:oven,cooker,toaster oven,bake
midi-port:musical instrument digital interface,port,connector,socket,jack,din,5-pin,audio,music,synthesizer,keyboard,controller,interface,input,output,io
milestone:signpost,direction,right,east,forward,version control,waypoint
milk:lactose,bottle,beverage,drink,water,diet
milk-off:lactose free,bottle,beverage,drink,water,allergy,intolerance,diet
minimize:exit fullscreen,close,shrink
minimize-2:exit fullscreen,arrows,close,shrink
minus:subtract,remove,decrease,decrement,reduce,negative,calculate,line,divider,separator,horizontal rule,hr,html,markup,markdown,---,toolbar,operator,code,coding,minimum,downgrade
mirror-rectangular:reflection,optics,glass,surface,image,physics,science,bathroom,decor,cosmetic,shiny,periscope,vanity
mirror-round:reflection,optics,glass,surface,image,physics,science,bathroom,vanity,makeup,decor,cosmetic,shiny,periscope
monitor:tv,computer,desktop,screen,display,external display,screen sharing,virtual machine,vm
monitor-check:tv,computer,screen,display,desktop,external display,screen sharing,connected,success,verified,running,active,virtual machine,vm
monitor-cloud:tv,computer,screen,display,desktop,external display,virtual machine,virtual desktop,vm,vdi,computing,remote work,monitoring,infrastructure,software as a service,saas,workstation,environment
monitor-cog:tv,computer,screen,display,desktop,external display,virtual machine,vm,executable,settings,edit,gear,configuration,preferences,system,control panel,network,computing
monitor-dot:tv,computer,screen,display,desktop,external display,screen sharing,status,notification,indicator,running,active,virtual machine,vm
monitor-down:tv,computer,screen,display,desktop,external display,screen sharing,download,remote,cast
monitor-off:tv,computer,screen,display,desktop,external display,screen sharing,offline,disabled,disconnected,power
monitor-pause:tv,computer,screen,display,desktop,external display,screen sharing,video,movie,film,pause,suspend,hibernate,boot,virtual machine,vm
monitor-pc:personal computer,desktop,screen,display,workstation,tower,chassis,hardware,setup,gaming
monitor-play:tv,computer,screen,display,desktop,external display,screen sharing,video,movie,film,play,running,start,boot,virtual machine,vm
monitor-smartphone:phone,cellphone,device,mobile,desktop,screen,display,external display,screen sharing,responsive,screens,sync,cast
monitor-speaker:tv,computer,screen,display,desktop,external display,connect,cast,audio,sound,volume,presentation
monitor-stop:tv,computer,screen,display,desktop,external display,screen sharing,video,movie,film,stop,shutdown,virtual machine,vm
monitor-up:tv,computer,screen,display,desktop,external display,upload,connect,remote,screen sharing,cast
monitor-x:tv,computer,screen,display,desktop,external display,screen sharing,virtual machine,vm,close,error,failed,disconnected,stop,suspend,remove,delete
moon:dark,night
moon-star:dark,night,star
mop:cleaning,sweeping,scrubbing,housekeeping,hygiene,sanitation,chores,swab,tidy,floor,janitor,maintenance,wash,wipe,spotless,pristine,disinfect
mop-sparkles:cleaning,scrubbing,sweeping,ai,magic,sparkle,smart,automation,housekeeping,hygiene,sanitation,chores,swab,tidy,floor,spotless,pristine,polish,sanitize,disinfect
mosque:masjid,islam,muslim,ramadan,eid,prayer,worship,building,minaret,dome,architecture,faith,religion,holy,sacred,landmark,community,spiritual,tourism,map,heritage
motorbike:moto,motorcycle,transport,vehicle,drive,ride,trip,race,racing,journey,delivery
mountain:climb,hike,rock
mountain-snow:alpine,climb,snow
mouse:device,scroll,click
mouse-left:device,scroll,click
mouse-off:device,scroll,click,disabled
mouse-pointer:click,select
mouse-pointer-2:click,select
mouse-pointer-2-off:pointer,mouse,cursor,off,disable,arrow,navigation,selection,select,click,no-click,interaction
mouse-pointer-ban:wait,busy,loading,blocked,frozen,freeze
mouse-pointer-click:click,select
mouse-right:device,scroll,click
mouth:speech,voice,talk,speaking,taste,tasting,flavor,palate,tongue,gustatory,oral,dental,expression,communication,accessibility
mouth-off:speech,voice,talk,mute,silence,speechless,taste loss,flavor loss,ageusia,tasteless,gustatory,oral,dental,communication,accessibility
move:arrows
move-3d:move 3 d,arrows,axis,gizmo,coordinates,transform,translate
move-diagonal:double,arrow
move-diagonal-2:double,arrow
move-down:arrow,direction,downwards,south
move-down-left:arrow,direction
move-down-right:arrow,direction
move-horizontal:double,arrow
move-left:arrow,direction,back,west
move-right:arrow,direction,trend flat,east
move-up:arrow,direction,upwards,north
move-up-left:arrow,direction
move-up-right:arrow,direction
move-vertical:double,arrow
navigation:location,travel
navigation-2:location,travel
navigation-2-off:location,travel
navigation-off:location,travel
nepali-rupee:currency,money,nepal,rupee,npr
network:tree
newspaper:news,feed,home,magazine,article,headline
nfc:contactless,payment,near-field communication
non-binary:gender,nonbinary,enby
notebook:notepad,notes,stationery,sketchbook,moleskine,closure,strap,band,elastic,organizer,organiser,planner,diary,journal,writing,written,writer,reading,high school,university,college,academy,student,study,homework,research
notebook-dot:document,file,journal,page,paper,record,entry,notebook,notification,unread,note
notebook-pen:pencil,notepad,notes,noted,stationery,sketchbook,organizer,organiser,planner,diary,journal,writing,write,written,reading,high school,university,college,academy,student,study,research,homework,eraser,rubber
notebook-tabs:notepad,notes,people,family,friends,acquaintances,contacts,details,addresses,phone numbers,directory,listing,networking,alphabetical,a-z,organizer,organiser,planner,diary,stationery
notebook-text:notepad,notes,pages,paper,stationery,sketchbook,organizer,organiser,planner,diary,journal,writing,write,written,reading,high school,university,college,academy,student,study,research,homework,lines,opened
notepad-text:notebook,notes,pages,paper,stationery,sketchbook,organizer,organiser,planner,diary,journal,writing,write,written,reading,high school,university,college,academy,student,study,homework,research,lines,opened
notepad-text-dashed:notebook,notes,pages,paper,stationery,diary,journal,writing,write,written,draft,template,lines
nut:hazelnut,acorn,food,diet
nut-off:hazelnut,acorn,food,allergy,intolerance,diet
octagon:stop,shape
octagon-alert:alert octagon,warning,alert,danger,exclamation mark
octagon-minus:stop,forbidden,subtract,remove,decrease,reduce,-,traffic,halt,restricted
octagon-pause:pause octagon,music,audio,stop
octagon-x:x octagon,delete,stop,alert,warning,times,clear,math
omega:greek,symbol,mathematics,education,physics,engineering,ohms,electrical resistance,angular frequency,dynamical systems,astronomy,constellations,philosophy
option:keyboard,key,mac,alt,button
orbit:planet,space,physics,satellites,moons
origami:paper,bird
package:box,container,storage,sealed,delivery,undelivered,unopened,packed,archive,zip,module
package-2:box,container,storage,sealed,packed,unopened,undelivered,archive,zip
package-check:confirm,verified,done,todo,tick,complete,task,delivered
package-minus:delete,remove
package-open:box,container,storage,unpack,unarchive,unzip,opened,delivered
package-plus:new,add,create
package-search:find,product process,lens
package-x:delete,remove
paint-bucket:fill,paint,bucket,color,colour
paint-roller:brush,color,colour,decoration,diy
paintbrush:brush,design,color,colour,decoration,diy
paintbrush-vertical:paintbrush 2,brush,paintbrush,design,color,colour,decoration,diy
palette:colors,colours,theme,scheme,paint,watercolor,watercolour,artist
panda:animal,wildlife,bear,zoo,bamboo
panel-bottom:drawer,dock
panel-bottom-close:drawer,dock,hide,chevron,down
panel-bottom-dashed:panel bottom inactive,drawer,dock,show,reveal,padding,margin,guide,layout,bleed
panel-bottom-open:drawer,dock,show,reveal,chevron,up
panel-left:sidebar,primary,drawer
panel-left-close:sidebar close,primary,drawer,hide,chevron,<
panel-left-dashed:panel left inactive,sidebar,primary,drawer,show,reveal,padding,margin,guide,layout,bleed
panel-left-open:sidebar open,primary,drawer,show,reveal,chevron,right,>
panel-left-right-dashed:sidebar,primary,drawer,show,reveal,padding,margin,guide,layout,vertical,bleed
panel-right:sidebar,secondary,drawer
panel-right-close:sidebar,secondary,drawer,hide,chevron,>
panel-right-dashed:panel right inactive,sidebar,secondary,drawer,show,reveal,padding,margin,guide,layout,bleed
panel-right-open:sidebar,secondary,drawer,show,reveal,chevron,left,<
panel-top:drawer,browser,webpage
panel-top-bottom-dashed:sidebar,primary,drawer,show,reveal,padding,margin,guide,layout,horizontal,bleed
panel-top-close:menu bar,drawer,hide,chevron,up
panel-top-dashed:panel top inactive,menu bar,drawer,show,reveal,padding,margin,guide,layout,bleed
panel-top-open:menu bar,drawer,show,reveal,chevron,down
panels-left-bottom:drawers,sidebar,primary
panels-right-bottom:drawers,sidebar,secondary
panels-top-left:layout,menu bar,sidebar,primary,drawers,window,webpage,projects,overview
paper-bag:storage,package,lunch,takeout,eco-friendly,kraft,retail,doggy bag
paperclip:attachment,file
parasol:umbrella,sunshade,beach,shade,sun,protection,cover,canopy,garden,outdoors,resort,travel,vacation,holiday,summer,apparel,accessory,sunbathing,relax,tropical
parentheses:code,token,parenthesis,parens,brackets,parameters,arguments,args,input,call,math,formula,function,(,)
park:nature,green,trees,landscape,rest,walk,leisure,environment,tree,bench,outdoors,recreation
parking-meter:driving,car park,pay,sidewalk,pavement
party-popper:emoji,congratulations,celebration,party,tada,🎉,🎊,excitement,exciting,excites,confetti
pause:music,stop
paw-print:pets,vets,veterinarian,domesticated,cat,dog,bear
pc-case:computer,chassis
pen:edit 2,pencil,change,create,draw,writer,writing,biro,ink,marker,felt tip,stationery,artist
pen-line:edit 3,pencil,change,create,draw,writer,writing,biro,ink,marker,felt tip,stationery,artist
pen-off:disabled,inactive,non-editable,locked,read-only,unmodifiable,frozen,restricted,pencil,change,create,draw,writer,writing,biro,ink,marker,felt tip,stationery,artist
pen-tool:vector,drawing,path
pencil:rubber,edit,create,draw,sketch,draft,writer,writing,stationery,artist
pencil-line:pencil,change,create,draw,sketch,draft,writer,writing,biro,ink,marker,felt tip,stationery,artist
pencil-off:disabled,inactive,non-editable,locked,read-only,unmodifiable,frozen,restricted,rubber,edit,create,draw,sketch,draft,writer,writing,stationery,artist
pencil-ruler:edit,create,draw,sketch,draft,writer,writing,stationery,artist,measurements,centimeters,cm,millimeters,mm,metre,foot,feet,inches,units,size,length,width,height,dimensions,depth,breadth,extent
pencil-sparkles:edit,ai,tools,smart,create,draw,sketch,draft,writer,writing,stationery,artist,magic,wizard,magician
pentagon:shape
percent:percentage,modulo,modulus,remainder,%,sale,discount,offer,marketing
perfume-bottle:eau de parfum,eau de toilette,essence,aftershave,cologne,aroma,fragrance,smell,scent,bouquet,gift,duty free,spray,puff,atomizer,mist,beauty,skincare,cosmetics
person-standing:people,human,accessibility,stick figure
phi:math,golden-ratio,symbol,greek,letter,typography,constant,flux,magnetic-flux
philippine-peso:currency,peso,money,php
phone:call
phone-call:ring
phone-forwarded:call
phone-incoming:call
phone-log:telephone,communication,mobile,device,contact,history,data,information,call
phone-missed:call
phone-off:call,mute
phone-outgoing:call
pi:constant,code,coding,programming,symbol,trigonometry,geometry,formula
piano:music,audio,sound,noise,notes,chord,keys,octave,acoustic,instrument,play,pianist,performance,concert
pickaxe:mining,mine,land worker,extraction,labor,construction,progress,advancement,crafting,building,creation
picture-in-picture:display,play,video,pop out,always on top,window,inset,multitask
picture-in-picture-2:display,play,video,pop out,always on top,window,inset,multitask
piggy-bank:money,savings
pilcrow:paragraph,mark,paraph,blind,typography,type,text,prose,symbol
pilcrow-left:direction,paragraph,mark,paraph,blind,typography,type,text,prose,symbol
pilcrow-right:direction,paragraph,mark,paraph,blind,typography,type,text,prose,symbol
pill:medicine,medication,drug,prescription,tablet,pharmacy
pill-bottle:medicine,medication,prescription,drug,supplement,vitamin,capsule,jar,container,healthcare,pharmaceutical,tablet
pin:save,map,lock,fix
pin-off:unpin,map,unlock,unfix,unsave,remove
pipette:eye dropper,color picker,lab,chemistry
pizza:pie,quiche,food
plane:trip,airplane
plane-landing:arrival,plane,trip,airplane,landing
plane-takeoff:departure,plane,trip,airplane,takeoff
plant-pot:plant,leaf,nature,pot,houseplant,gardening,planter,decor,indoor
play:music,audio,video,start,run
play-off:audio,video,music,start,run,off,disabled,blocked,forbidden
playing-card:deck,draw,deal,shuffle,chance,random,selection,tabletop,flashcard,study,learning,prompt,icebreaker,conversation,collectible,trading,poker,casino,game,gambling,suit
playing-cards:deck,stack,shuffle,deal,draw,hand,tabletop,planning poker,scrum,agile,estimation,estimate,flashcards,study,learning,collectible,collection,trading,poker,casino,game,gambling,suit
playing-cards-fan:deck,fan,spread,hand,deal,dealt,draw,shuffle,tabletop,planning poker,scrum,agile,estimation,estimate,prompt,icebreaker,conversation,collectible,collection,trading,poker,casino,game,gambling,suit
plug:electricity,energy,electronics,socket,outlet,power,voltage,current,charger
plug-2:electricity,energy,socket,outlet
plug-zap:plug zap 2,electricity,energy,electronics,charge,charging,battery,connect
plus:add,new,increase,increment,positive,calculate,toolbar,crosshair,aim,target,scope,sight,reticule,maximum,upgrade,extra,+
pocket-knife:swiss army knife,penknife,multi-tool,multitask,blade,cutter,gadget,corkscrew
podium:award,stage,winner,celebration,performance,medal,success,achievement,highlight,ranking,winning,place,placing,leaderboard,first,second,third,gold,silver,bronze
pointer:mouse
pointer-off:mouse
popcorn:cinema,movies,films,salted,sweet,sugar,candy,snack
popsicle:ice lolly,ice cream,sweet,food
pound-sterling:currency,money,payment
power:on,off,device,switch,toggle,binary,boolean,reboot,restart,button,keyboard,troubleshoot
power-off:on,off,device,switch
presentation:screen,whiteboard,marker pens,markers,blackboard,chalk,easel,school,learning,lesson,office,meeting,project,planning
printer:fax,office,device
printer-3d:model,hardware,technology,device,factory,manufacturing,art,extruder,stl,obj,step,additive,fabrication,rapid prototype,layer,filament,nozzle,maker,machine
printer-check:fax,office,device,success,printed
printer-x:fax,office,device,cross,cancel,remove,error
projector:cinema,film,movie,home video,presentation,slideshow,office,meeting,project,planning
proportions:screens,sizes,rotate,rotation,adjust,aspect ratio,16 9,widescreen,4 3,resolution,responsive,mobile,desktop,dimensions,monitor,orientation,portrait,landscape
puzzle:component,module,part,piece
pyramid:prism,triangle,triangular,hierarchy,structure,geometry,ancient,egyptian,landmark,tourism
qr-code:barcode,scan,link,url,information,digital
quote:quotation
rabbit:animal,rodent,pet,pest,bunny,hare,fast,speed,hop
radar:scan,sonar,detect,find,locate
radiation:radioactive,nuclear,fallout,waste,atomic,physics,particle,element,molecule
radical:calculate,formula,math,operator,root,square,symbol
radio:signal,broadcast,connectivity,live,frequency
radio-off:signal,broadcast,connectivity,live,frequency
radio-receiver:device,music,connect
radio-tower:signal,broadcast,connectivity,live,frequency
radius:shape,circle,geometry,trigonometry,radii,calculate,measure,size
rainbow:colors,colours,spectrum,light,prism,arc,clear,sunshine
rat:mouse,mice,gerbil,rodent,pet,pest,plague,disease
ratio:screens,sizes,rotate,rotation,adjust,aspect ratio,proportions,16 9,widescreen,4 3,resolution,responsive,mobile,desktop,dimensions,monitor,orientation,portrait,landscape
receipt:bill,voucher,slip,check,counterfoil,currency,dollar,usd
receipt-cent:bill,voucher,slip,check,counterfoil,currency,cents,dollar,usd,¢
receipt-euro:bill,voucher,slip,check,counterfoil,currency,€
receipt-indian-rupee:bill,voucher,slip,check,counterfoil,currency,inr,₹
receipt-japanese-yen:bill,voucher,slip,check,counterfoil,currency,jpy,¥
receipt-pound-sterling:bill,voucher,slip,check,counterfoil,british,currency,gbp,£
receipt-russian-ruble:bill,voucher,slip,check,counterfoil,currency,rub,₽
receipt-swiss-franc:bill,voucher,slip,check,counterfoil,currency,chf,₣
receipt-text:bill,voucher,slip,check,counterfoil,details,small print,terms,conditions,contract
receipt-turkish-lira:bill,voucher,slip,check,counterfoil,currency,try,₺
rectangle-circle:compose,keyboard,key,button
rectangle-ellipsis:form input,login,password,authenticate,2fa,field,fill,ellipsis,et cetera,etc,loader,loading,progress,pending,throbber,menu,options,operator,code,spread,rest,more,further,extra,overflow,dots,…,...
rectangle-goggles:vr,virtual,augmented,reality,headset,goggles
rectangle-horizontal:rectangle,aspect ratio,16 9,horizontal,shape
rectangle-vertical:rectangle,aspect ratio,9 16,vertical,shape
recycle:sustainability,salvage,arrows
redo:undo,rerun,history
redo-2:undo,rerun,history
redo-dot:redo,history,step,over,forward
refresh-ccw:arrows,rotate,reload,rerun,synchronise,synchronize,circular,cycle
refresh-ccw-dot:arrows,rotate,reload,synchronise,synchronize,circular,cycle,issue,code,coding,version control
refresh-cw:rotate,reload,rerun,synchronise,synchronize,arrows,circular,cycle
refresh-cw-off:rotate,reload,rerun,synchronise,synchronize,arrows,circular,cycle,cancel,no,stop,error,disconnect,ignore
refrigerator:fridge,freezer,cooler,icebox,chiller,cold storage
regex:search,text,code
remove-formatting:text,font,typography,format,x,remove,delete,times,clear
repeat:loop,arrows
repeat-1:replay
repeat-2:arrows,retweet,repost,share,repeat,loop
repeat-off:loop,arrows,recurring,again
replace:search,substitute,swap,change
replace-all:search,substitute,swap,change
reply:email
reply-all:email
rewind:music
ribbon:awareness,strip,band,tape,strap,cordon
road:street,highway,route,path,transport,traffic,drive,map
robot-arm:mechanical,automation,factory,manufacture,technology,cyborg,industrial,hardware,machinery
robot-vacuum:appliance,cleaning,household,housekeeping,tool,maintenance,sweeping,hygiene,chores,automation,smart home,device,floor,dust,debris,navigation,sensor
rocket:release,boost,launch,space,version
rocking-chair:chair,furniture,seat,comfort,relax
roller-coaster:attraction,entertainment,amusement park,theme park,funfair
rose:roses,thorns,petals,plant,stem,leaves,spring,bloom,blossom,gardening,botanical,flora,florist,bouquet,bunch,gift,date,romance,romantic,valentines day,special occasion
rotate-3d:rotate 3 d,gizmo,transform,orientation,orbit,axis
rotate-ccw:arrow,left,counter-clockwise,restart,reload,rerun,refresh,backup,undo,replay,redo,retry,rewind,reverse
rotate-ccw-clock:history,time,redo,undo,rewind,timeline,version,time machine,backup,ccw
rotate-ccw-key:password,key,refresh,change
rotate-ccw-square:left,counter-clockwise,rotate,image,90,45,degrees,°
rotate-cw:arrow,right,clockwise,refresh,reload,rerun,redo
rotate-cw-clock:modify,edit,refresh,sync,renew,revision,settings,adjust,upgrade,time,timeline,version,time machine,backup,clockwise,arrow,reload,rerun,synchronize,circular,cycle,update
rotate-cw-fading-clock:clock,waiting,schedule,hourglass,loading,pause,pending,time,watch
rotate-cw-square:right,clockwise,rotate,image,90,45,degrees,°
route:path,journey,planner,points,stops,stations
route-off:path,journey,planner,points,stops,stations,reset,clear,cancelled,closed,blocked
router:computer,server,cloud
rows-2:rows,lines,list,queue,preview,panel,paragraphs,parallel,series,split,vertical,horizontal,half,center,middle,even,drawer
rows-3:panels top bottom,lines,list,queue,preview,paragraphs,parallel,series,split,vertical,horizontal,half,center,middle,even,drawers
rows-4:lines,list,queue,preview,paragraphs,parallel,series,split,vertical,horizontal,half,center,middle,even,drawers,grill
rss:feed,subscribe,news,updates,notifications,content,blog,articles,broadcast,syndication,reader,channels,posts,publishing,digest,alert,following,inbox,newsletter,weblog,podcast
rugby-ball:rugby,football,ball,goal,sport
ruler:measurements,centimeters,cm,millimeters,mm,metre,foot,feet,inches,units,size,length,width,height,dimensions,depth,breadth,extent,stationery
ruler-dimension-line:measurements,centimeters,cm,millimeters,mm,metre,foot,feet,inches,units,size,length,width,height,dimensions,depth,breadth,extent,stationery
russian-ruble:currency,money,payment
sailboat:ship,boat,harbor,harbour,dock
salad:food,vegetarian,dish,restaurant,course,meal,side,vegetables,health
sandwich:food,snack,dish,restaurant,lunch,meal
satellite:space station,orbit,transmitter
satellite-dish:antenna,receiver,dish aerial,saucer,communication,broadcast,signal
saudi-riyal:currency,money,payment
save:floppy disk
save-all:floppy disks,copy
save-check:save,floppy-disk,saved,check,save-success
save-off:floppy disk,unsalvageable
save-pen:floppy disk,directory,rename
save-plus:floppy disk,save,plus,add,update,create
scale:balance,legal,license,right,rule,law,justice,weight,measure,compare,judge,fair,ethics,decision
scale-3d:scale 3 d,gizmo,transform,size,axis
scaling:scale,resize,design
scan:qr-code,barcode,checkout,augmented reality,ar,target,surveillance,camera,lens,focus,frame,select,box,boundary,bounds,area,square,dashed
scan-barcode:checkout,till,cart,transaction,purchase,buy,product,packaging,retail,consumer
scan-box:ar,augmented reality,3d,object detection,object recognition,tracking,spatial computing,capture,cube,bounding box,camera,frame,shape,boundary,lidar,depth,scanning,mapping,placement
scan-eye:preview,zoom,expand,fullscreen,gallery,image,camera,watch,surveillance,retina,focus,lens,biometric,identification,authentication,access,login
scan-face:face,biometric,identification,authentication,2fa,access,login,dashed
scan-heart:health,heart rate,pulse,monitoring,healthiness,screening,dashed
scan-line:checkout,till,cart,transaction,purchase,buy,product,packaging,retail,consumer,qr-code,dashed
scan-qr-code:barcode,scan,qr code,url,information,digital,scanner
scan-search:preview,zoom,expand,fullscreen,gallery,image,focus,lens
scan-square:scan,square,detect,recognition,select,frame,object,viewfinder,capture,shape,boundary,camera,scanner,overlay,focus,crop,marker
scan-text:recognition,read,translate,copy,lines
school:building,education,childhood,university,learning,campus,scholar,student,lecture,degree,course,academia,study,knowledge,classroom,research,diploma,graduation,professor,tutorial,homework,assignment,exam
scissors:cut,snip,chop,stationery,crafts
scissors-line-dashed:cut here,along,snip,chop,stationery,crafts,instructions,diagram
scooter:vehicle,drive,trip,journey,transport,electric,ride,urban,commute,speed
scratch-blocks:code,blocks,scratch,turbowarp,mistwarp,visual programming,block-based,drag-and-drop,editor,education,learning,programming,kids,integration
screen-share:host,desktop,monitor
screen-share-off:desktop,disconnect,monitor
screw:fastener,hardware,bolt,screwdriver,repair,assembly,diy,flathead
scroll:paper,log,scripture,document,notes,parchment,list,long,script,story,code,coding
scroll-text:paper,log,scripture,document,notes,parchment,list,long,script,story,code,coding
search:find,scan,magnifier,magnifying glass,lens,locate,explore,discover,enlarge,zoom
search-alert:find,scan,magnifier,magnifying glass,stop,warning,alert,error,anomaly,lens,locate,explore,discover,enlarge,zoom
search-check:find,scan,magnifier,magnifying glass,found,correct,complete,tick,lens,locate,explore,discover,enlarge,zoom
search-code:find,scan,magnifier,magnifying glass,grep,chevrons,<>,lens,locate,explore,discover,enlarge,zoom
search-slash:find,scan,magnifier,magnifying glass,stop,clear,cancel,abort,/,lens,locate,explore,discover,enlarge,zoom
search-x:find,scan,magnifier,magnifying glass,stop,clear,cancel,abort,lens,locate,explore,discover,enlarge,zoom
section:mark,typography,punctuation,legal,type,text,prose,symbol
send:email,message,mail,paper airplane,paper aeroplane,submit
send-horizontal:send horizonal,email,message,mail,paper airplane,paper aeroplane,submit
send-to-back:bring,send,move,under,back,backwards,overlap,layer,order
separator-horizontal:move,split
separator-vertical:move,split
server:cloud,storage
server-cog:cloud,storage,computing,cog,gear
server-crash:cloud,storage,problem,error
server-nas:storage,network,server,backup,raid,files,sharing,disk,hardware,lan,cloud
server-off:cloud,storage
server-plus:add,create,new,cloud,storage,computing
settings:cog,edit,gear,preferences
settings-2:cog,edit,gear,preferences,slider
shapes:triangle,equilateral,square,circle,classification,different,collection,toy,blocks,learning
share:network,connections
share-2:network,connections
sheet:spreadsheets,table,excel
shell:beach,sand,holiday,sea life,fossil,ammonite,biology,ocean,terminal,command line,session,bash,zsh,roll,wrap,chewing gum,bubble gum,sweet,sugar,hosepipe,carpet,string,spiral,spinner,hypnotise,hypnosis
shelving-unit:ledge,rack,storage,inventory,furniture,sill,shelves,shelf,organize,display,store,arrange,unit,cabinet,fixture,retail,warehouse
shield:cybersecurity,secure,safety,protection,guardian,armored,armoured,defense,defence,defender,block,threat,prevention,antivirus,vigilance,vigilant,detection,scan,find,strength,strong,tough,invincible,invincibility,invulnerable,undamaged,audit,admin,verification,crest,bravery,knight,foot soldier,infantry,trooper,pawn,battle,war,military,army,cadet,scout
shield-alert:unshielded,cybersecurity,insecure,unsecured,safety,unsafe,protection,unprotected,guardian,unguarded,unarmored,unarmoured,defenseless,defenceless,undefended,defender,blocked,stopped,intercepted,interception,saved,thwarted,threat,prevention,unprevented,antivirus,vigilance,vigilant,detection,detected,scanned,found,exploit,vulnerability,vulnerable,weakness,infection,infected,compromised,data leak,audited,admin,verification,unverified,uncertified,warning,emergency,attention,urgent,alarm,crest,bravery,strength,tough,attacked,damaged,injured,hit,expired,disabled,inactive,error,exclamation mark,!
shield-ban:unshielded,cybersecurity,insecure,unsecured,safety,unsafe,protection,unprotected,guardian,unguarded,unarmored,unarmoured,defenseless,defenceless,undefended,defender,blocked,stopped,intercepted,interception,saved,thwarted,threat,prevention,unprevented,antivirus,vigilance,vigilant,detection,detected,scanned,found,exploit,vulnerability,vulnerable,weakness,infection,infected,compromised,data leak,audited,admin,verification,unverified,uncertified,cancel,error,crest,bravery,attacked,damaged,injured,hit,expired,eliminated,disabled,inactive,/
shield-check:cybersecurity,secured,safety,protection,protected,guardian,guarded,armored,armoured,defense,defence,defended,blocked,threat,prevention,prevented,antivirus,vigilance,vigilant,active,activated,enabled,detection,scanned,found,strength,strong,tough,invincible,invincibility,invulnerable,undamaged,audited,admin,verification,verified,certification,certified,tested,passed,qualified,cleared,cleaned,disinfected,uninfected,task,completed,todo,done,ticked,checked,crest,bravery
shield-cog:cybersecurity,secure,safety,protection,guardian,armored,armoured,defense,defence,defender,block,threat,prevention,antivirus,vigilance,vigilant,detection,scan,find,strength,strong,tough,invincible,invincibility,invulnerable,undamaged,audit,admin,verification,crest,bravery,knight,foot soldier,infantry,trooper,pawn,battle,war,military,army,cadet,scout
shield-cog-corner:cybersecurity,secure,safety,protection,guardian,armored,armoured,defense,defence,defender,block,threat,prevention,antivirus,vigilance,vigilant,detection,scan,find,strength,strong,tough,invincible,invincibility,invulnerable,undamaged,audit,admin,verification,crest,shield cog,bravery,knight,foot soldier,infantry,trooper,pawn,battle,war,military,army,cadet,scout
shield-ellipsis:cybersecurity,securing,protecting,guarding,armoring,armouring,defending,blocking,preventing,antivirus,detecting,scanning,finding,auditing,admin,verifying,crest,upgrading,loader,loading,throbber,progress,dots,more,etc,...,…
shield-half:cybersecurity,secure,safety,protection,guardian,armored,armoured,defense,defence,defender,block,threat,prevention,antivirus,vigilance,vigilant,detection,scan,strength,strong,tough,invincible,invincibility,invulnerable,undamaged,audit,admin,verification,crest,logo,sigil,flag,team,faction,fraternity,university,college,academy,school,education,uniform,bravery,knight,foot soldier,infantry,trooper,pawn,battle,war,military,ranking,army,cadet,scout
shield-house:cybersecurity,secure,safety,protection,guardian,armored,armoured,defense,defence,defender,block,threat,prevention,antivirus,vigilance,vigilant,detection,scan,strength,strong,tough,invincible,invincibility,invulnerable,undamaged,audit,admin,property,household,connectivity,building,residence
shield-keyhole:cybersecurity,secure,safety,protection,defense,defence,defender,block,threat,prevention,antivirus,vigilance,vigilant,detection,scan,find,strength,strong,tough,invincible,invincibility,invulnerable,undamaged,audit,admin,verification,crest,bravery,trooper,pawn
shield-lock:antivirus,authentication,authorization,credentials,cybersecurity,data protection,defense,encryption,guard,login,password,privacy,safeguard,ssl,tls,two-factor authentication,verification,vpn
shield-minus:unshield,cybersecurity,unsecure,unguard,unblock,antivirus,clean,clear,disinfect,patch,fix,stop,cancel,remove,relax,admin,crest,bravery,weakened,damaged,hit,unarm,disable,deactivate,decommission,downgraded,minimum,-
shield-off:unshielded,cybersecurity,insecure,unsecured,safety,unsafe,protection,unprotected,guardian,unguarded,unarmored,unarmoured,defenseless,defenceless,undefended,defender,interception,threat,prevention,unprevented,antivirus,detection,undetected,exploit,vulnerability,vulnerable,weakness,infected,infection,compromised,data leak,unaudited,admin,verification,unverified,inactive,cancelled,error,crest,bravery,damaged,injured,hit,expired,eliminated
shield-plus:cybersecurity,secure,safety,protection,guardian,armored,armoured,defense,defence,defender,block,threat,prevention,antivirus,vigilance,vigilant,detection,scan,strength,strong,tough,invincible,invincibility,invulnerable,undamaged,extra,added,professional,enterprise,full,maximum,upgraded,ultra,activate,enable,audit,admin,verification,crest,medic,+
shield-question-mark:shield question,unshielded,cybersecurity,insecure,unsecured,safety,unsafe,protection,unprotected,guardian,unguarded,unarmored,unarmoured,defenseless,defenceless,undefended,defender,threat,prevention,unprevented,antivirus,vigilance,vigilant,detection,undetected,scan,find,exploit,vulnerability,vulnerable,weakness,infection,compromised,data leak,audit,admin,verification,unverified,uncertified,uncertain,unknown,inactive,crest,question mark,?
shield-user:shield,user,admin,protection,protected,safety,guard
shield-x:shield close,unshielded,cybersecurity,insecure,unsecured,safety,unsafe,protection,unprotected,guardian,unguarded,unarmored,unarmoured,defenseless,defenceless,undefended,defender,blocked,stopped,intercepted,interception,saved,thwarted,threat,prevention,prevented,antivirus,vigilance,vigilant,detection,detected,scanned,found,exploit,vulnerability,vulnerable,weakness,infection,infected,compromised,data leak,audited,admin,verification,unverified,inactive,cancel,error,wrong,false,crest,bravery,attacked,damaged,injured,hit,dead,deceased,expired,eliminated,exterminated
ship:boat,knots,nautical mile,maritime,sailing,yacht,cruise,ocean liner,tanker,vessel,navy,trip,releases
ship-cargo:boat,knots,nautical mile,maritime,sailing,cruise,ocean liner,tanker,vessel,navy,cargo,container,freighter,freight,shipping,port,harbor,dock,logistics,import,export
ship-wheel:steering,rudder,boat,knots,nautical mile,maritime,sailing,yacht,cruise,ocean liner,tanker,vessel,navy,trip
shirt:t-shirt,shopping,store,clothing,clothes
shopping-bag:ecommerce,cart,purchase,store
shopping-basket:cart,e-commerce,store,purchase,products,items,ingredients
shopping-cart:trolley,cart,basket,e-commerce,store,purchase,products,items,ingredients
shopping-cart-minus:trolley,cart,basket,e-commerce,ecommerce,store,purchase,products,items,checkout,order,retail,remove,decrease,quantity,subtract
shopping-cart-plus:trolley,cart,basket,e-commerce,ecommerce,store,purchase,products,items,checkout,order,retail,add,increase,quantity,buy
shovel:dig,spade,treasure
shower-head:shower,bath,bathroom,amenities,services
shredder:file,paper,tear,cut,delete,destroy,remove,erase,document,destruction,secure,security,confidential,data,trash,dispose,disposal,information,waste,permanent
shrimp:seafood,shellfish,crustacean,prawn,scallop,whelk,arthropod,littleneck,quahog,marine,creature,fisherman,ocean,fresh,cuisine,marine-life
shrimp-off:marine,creature,fisherman,ocean,fresh,cuisine,marine-life,seafood,shellfish,crustacean,prawn,scallop,whelk,arthropod,littleneck,quahog,allergy,intolerance,diet
shrink:scale,fullscreen
shrub:forest,undergrowth,park,nature
shuffle:music,random,reorder
sigma:sum,calculate,formula,math,enumeration,enumerate
signal:connection,wireless,gsm,phone,2g,3g,4g,5g
signal-high:connection,wireless,gsm,phone,2g,3g,4g,5g
signal-low:connection,wireless,gsm,phone,2g,3g,4g,5g
signal-medium:connection,wireless,gsm,phone,2g,3g,4g,5g
signal-zero:connection,wireless,gsm,phone,2g,3g,4g,5g,lost
signature:text,format,input,contract,autograph,handwriting,sign,cursive,ink,scribble,authorize,personal,agreement,legal,document,identity,authentic,approval,verification,unique
signpost:navigation,direction,arrow,wayfinding,guide,location,pointer,route,indicator,marker,bidirectional,left,right,east,west
signpost-big:bidirectional,left,right,east,west
siren:police,ambulance,emergency,security,alert,alarm,light
sixteenth-notes:music 4,audio,music,sound,notes,semiquavers
skip-back:arrow,previous,music
skip-forward:arrow,skip,next,music
skull:death,danger,bone
slash:divide,division,or,/
slice:cutter,scalpel,knife
sliders-horizontal:settings,filters,controls
sliders-vertical:sliders,settings,controls
smartphone:phone,cellphone,device,mobile,screen,display,touchscreen,portable,responsive
smartphone-charging:phone,cellphone,device,power,screen
smartphone-nfc:contactless,payment,near-field communication,screen
smartphone-user-round:phone,cellphone,device,mobile,person,profile,account,avatar,contact,identity,owner,authentication
snail:animal,insect,slow,speed,delicacy,spiral
snowflake:cold,weather,freeze,snow,winter
soap-dispenser-droplet:wash,bath,water,liquid,fluid,wet,moisture,damp,bead,globule
sofa:armchair,furniture,leisure,lounge,loveseat,couch
solar-panel:solar panel,solar,panel,sun,energy,electricity,light
soup:food,dish,restaurant,course,meal,bowl,starter
space:text,selection,letters,characters,font,typography
spade:shape,suit,playing,cards
sparkle:star,effect,filter,night,magic,shiny,glitter,twinkle,celebration
sparkles:stars,effect,filter,night,magic
speaker:sound,audio,music,tweeter,subwoofer,bass,production,producer,dj
speech:disability,disabled,dda,human,accessibility,people,sound
spell-check:spelling,error,mistake,oversight,typo,correction,code,linter,a
spell-check-2:spelling,error,mistake,oversight,typo,correction,code,linter,a
spline:path,pen,tool,shape,curve,draw
spline-pointer:path,tool,curve,node,click,pointer,target,vector
split:break,disband,divide,separate,branch,disunite
spool:bobbin,spindle,yarn,thread,string,sewing,needlework
sport-shoe:footwear,sports,running,athletic,shoe,sneaker,training,exercise,fitness
spotlight:winner,soapbox,stage,entertainment,drama,podium,actor,actress,singer,light,beam,play,theatre,show,focus,concert,performance,lens,leaderboard,follow spot,best,highlight
spray-can:paint,color,graffiti,decoration,aerosol,deodorant,shaving foam,air freshener
sprout:eco,green,growth,leaf,nature,plant,seed,spring,sustainability
square:stop,playback,music,audio,video,rectangle,aspect ratio,1 1,shape
square-activity:activity square,pulse,action,motion,movement,exercise,fitness,healthcare,heart rate monitor,vital signs,vitals,emergency room,er,intensive care,hospital,defibrillator,earthquake,seismic,magnitude,richter scale,aftershock,tremor,shockwave,audio,waveform,synthesizer,synthesiser,music
square-arrow-down:arrow down square,backwards,reverse,direction,south,sign,keyboard,button
square-arrow-down-left:arrow down left square,direction,south-west,diagonal,sign,turn,keyboard,button
square-arrow-down-right:arrow down right square,direction,south-east,diagonal,sign,turn,keyboard,button
square-arrow-left:arrow left square,previous,back,direction,west,sign,keyboard,button,<-
square-arrow-out-down-left:arrow down left from square,outwards,direction,south-west,diagonal
square-arrow-out-down-right:arrow down right from square,outwards,direction,south-east,diagonal
square-arrow-out-up-left:arrow up left from square,outwards,direction,north-west,diagonal
square-arrow-out-up-right:arrow up right from square,outwards,direction,north-east,diagonal,share,open,external,link
square-arrow-right:arrow right square,next,forward,direction,west,sign,keyboard,button,->
square-arrow-right-enter:left,in,inside,input,insert,source,import,place,->
square-arrow-right-exit:out,outside,output,export,->
square-arrow-up:arrow up square,forward,direction,north,sign,keyboard,button
square-arrow-up-left:arrow up left square,direction,north-west,diagonal,sign,keyboard,button
square-arrow-up-right:arrow up right square,direction,north-east,diagonal,sign,keyboard,button,share
square-asterisk:asterisk square,password,secret,access,key,multiply,multiplication,glob pattern,wildcard,*
square-bookmark:album,photo,book
square-bottom-dashed-scissors:scissors square dashed bottom,cut,snippet,chop,stationery,crafts
square-centerline-dashed-horizontal:flip horizontal,reflect,mirror,alignment,dashed
square-centerline-dashed-vertical:flip vertical,reflect,mirror,alignment,dashed
square-chart-gantt:gantt chart square,square gantt chart,projects,manage,overview,roadmap,plan,intentions,timeline,deadline,date,event,range,period,productivity,work,agile,code,coding,toolbar,button
square-check:check square 2,done,todo,tick,complete,task
square-check-big:check square,done,todo,tick,complete,task
square-chevron-down:chevron down square,back,menu,panel
square-chevron-left:chevron left square,back,previous,less than,fewer,menu,panel,button,keyboard,<
square-chevron-right:chevron right square,forward,next,more than,greater,menu,panel,code,coding,command line,terminal,prompt,shell,console,>
square-chevron-up:chevron up square,caret,keyboard,button,mac,control,ctrl,superscript,exponential,power,ahead,menu,panel,^
square-code:code square,gist,source,programming,html,xml,coding
square-dashed:box select,selection,square,rectangular,marquee,tool,dashed,box
square-dashed-bottom:rectangle,aspect ratio,1 1,shape,snippet,code,coding
square-dashed-bottom-code:rectangle,aspect ratio,1 1,shape,snippet,code,coding
square-dashed-kanban:kanban square dashed,projects,manage,overview,board,tickets,issues,roadmap,plan,intentions,productivity,work,agile,draft,template,boilerplate,code,coding
square-dashed-mouse-pointer:mouse pointer square dashed,inspector,element,mouse,click,pointer,box,browser,selector,target,dom,node
square-dashed-plus:selection,select,add,new,placeholder,marquee,box,dashed,plus,insert,frame,empty
square-dashed-text:text select,text selection,find,search,selection,dashed
square-dashed-top-solid:square,border,width,layout,style,design,rectangular,marquee,dashed,box,rectangle,aspect ratio,1 1
square-dashed-x:deselect,unselect,delete,select,selection,border,width,layout,style,design,rectangular,marquee,box,rectangle,aspect ratio,1 1
square-dashed-x-corner:deselect,unselect,delete,select,selection,border,width,layout,style,design,rectangular,marquee,box,rectangle,aspect ratio,1 1
square-dimensions:ratio,size,width,height,resize,scale,frame,proportions,aspect,bounds,measurements,canvas
square-divide:divide square,calculate,math,÷,/
square-dot:dot square,git,diff,modified,.
square-equal:equal square,calculate,=
square-exclamation-point:warning,alert,danger,exclamation mark,rectangle,square,notification,attention,important,caution
square-function:function square,programming,code,automation,math
square-kanban:kanban square,projects,manage,overview,board,tickets,issues,roadmap,plan,intentions,productivity,work,agile,code,coding,toolbar,button
square-library:library square,books,reading,written,authors,stories,fiction,novels,information,knowledge,education,high school,university,college,academy,learning,study,research,collection,vinyl,records,albums,music,package
square-m:m square,metro,subway,underground,track,line
square-menu:menu square,bars,navigation,hamburger,options,menu bar,panel
square-minus:minus square,subtract,remove,decrease,reduce,calculator,button,keyboard,line,divider,separator,horizontal rule,hr,html,markup,markdown,---,toolbar,operator,code,coding,minimum,downgrade
square-mouse-pointer:inspect,inspector,element,mouse,click,pointer,box,browser,selector,target,dom,node
square-off:/,not,slash,off,disabled,inactive,cancel,none,block,forbidden,unavailable,stopped,checkbox,unchecked,toggle,negation,form,ui
square-parking:parking square,parking lot,car park
square-parking-off:parking square off,parking lot,car park,no parking
square-pause:music,audio,stop
square-pen:edit,pen box,pen square,pencil,change,create,draw,sketch,draft,writer,writing,biro,ink,marker,felt tip,stationery,artist
square-percent:percent square,verified,unverified,sale,discount,offer,marketing,sticker,price tag
square-pi:pi square,constant,code,coding,programming,symbol,trigonometry,geometry,formula
square-pilcrow:pilcrow square,paragraph,mark,paraph,blind,typography,type,text,prose,symbol
square-play:play square,music,audio,video,start,run
square-plus:plus square,add,new,increase,increment,positive,calculate,calculator,button,keyboard,toolbar,maximum,upgrade,extra,operator,join,concatenate,code,coding,+
square-power:power square,on,off,device,switch,toggle,binary,boolean,reboot,restart,button,keyboard,troubleshoot
square-radical:calculate,formula,math,operator,root,square,symbol
square-round-corner:border,radius,style,design,corner,layout,round,rounded
square-scissors:scissors square,cut,snippet,chop,stationery,crafts,toolbar,button
square-sigma:sigma square,sum,calculate,formula,math,enumeration,enumerate
square-slash:slash square,git,diff,ignored,divide,division,shortcut,or,/
square-sparkles:picture,photo,sparkles
square-split-horizontal:split square horizontal,split,divide
square-split-vertical:split square vertical,split,divide
square-square:float,center,rectangle
square-stack:versions,clone,copy,duplicate,multiple,revisions,version control,backup,history
square-star:badge,medal,honour,decoration,order,pin,laurel,trophy,medallion,insignia,bronze,silver,gold
square-stop:media,music
square-terminal:terminal square,code,command line,prompt,shell
square-text:text,paragraph,content,note,document,body,copy,article,square,container,block,card,placeholder,log,page,paper,sheet,list,script,code,editor
square-user:user square,person,account,contact
square-user-round:user square 2,person,account,contact
square-x:x square,cancel,close,delete,remove,times,clear,math,multiply,multiplication
squares-exclude:square,pathfinder,path,exclude,invert,xor,shape,vector
squares-intersect:square,pathfinder,path,intersect,shape,include,vector
squares-subtract:square,pathfinder,path,minus,subtract,subtraction,shape,front,vector
squares-unite:square,pathfinder,path,unite,union,shape,merge,vector
squircle:shape
squircle-dashed:shape,pending,progress,issue,draft,code,coding,version control
squirrel:animal,rodent,pet,pest,nuts,retrieve,updates,storage,stash
stamp:mark,print,clone,loyalty,library
star:bookmark,favorite,like,review,rating
star-check:bookmark,favorite,like,review,rating,check,star
star-half:bookmark,favorite,like,review,rating
star-minus:bookmark,favorite,like,review,rating,minus,remove,deselect,star
star-off:dislike,unlike,remove,unrate
star-plus:bookmark,favorite,like,review,rating,plus,add,join,star
star-x:mark,symbol,shape,vector,design,graphic,bookmark,favorite,like,review,rating,x,cancel,reject,star
step-back:arrow,previous,music,left,reverse
step-forward:arrow,next,music,right,continue
stethoscope:phonendoscope,medical,heart,lungs,sound
sticker:reaction,emotion,smile,happy,feedback
sticky-note:post-it,comment,annotation,reaction,memo,reminder,todo,task,idea,brainstorm,document,page,paper,sheet,stationary,office
sticky-note-check:post-it,comment,annotation,reaction,memo,reminder,todo,task,idea,brainstorm,document,page,paper,sheet,stationary,office,done,complete,success,check,verified
sticky-note-minus:post-it,comment,annotation,reaction,memo,reminder,todo,task,idea,brainstorm,document,page,paper,sheet,stationary,office,remove,delete,minus
sticky-note-off:post-it,comment,annotation,reaction,memo,reminder,todo,task,idea,brainstorm,document,page,paper,sheet,stationary,office,disabled,hidden,mute,inactive
sticky-note-plus:post-it,comment,annotation,reaction,memo,reminder,todo,task,idea,brainstorm,document,page,paper,sheet,stationary,office,add,create,new,plus
sticky-note-x:post-it,comment,annotation,reaction,memo,reminder,todo,task,idea,brainstorm,document,page,paper,sheet,stationary,office,close,cancel,delete,remove
sticky-notes:post-it,annotation,memo,reminder,todo,tasks,ideas,brainstorm,documents,notes,multiple,collection,group,stack,clone,duplicate,copy
stone:mineral,geology,nature,solid,pebble,crystal,ore,hard,coal,rock,boulder
store:shop,supermarket,stand,boutique,building
stretch-horizontal:items,flex,justify,distribute
stretch-vertical:items,flex,justify,distribute
strikethrough:cross out,delete,remove,format
subscript:text
summary:brief,abstract,synopsis,report,digest,outline,recap,condensation,ai,text,overview
sun:brightness,weather,light,summer
sun-dim:brightness,dim,low,brightness low
sun-medium:brightness,medium
sun-moon:dark,light,moon,sun,brightness,theme,auto theme,system theme,appearance
sun-snow:weather,air conditioning,temperature,hot,cold,seasons
sunrise:weather,time,morning,day
sunset:weather,time,evening,night
superscript:text,exponent
swatch-book:colors,colours,swatches,pantone,shades,tint,hue,saturation,brightness,theme,scheme,palette,samples,textile,carpet
swiss-franc:currency,money,payment
switch-camera:photo,selfie,front,back
sword:battle,challenge,combat,duel,fantasy,game,knight,melee,medieval,offense,rpg,sharp,weapon,war,warrior
swords:battle,challenge,combat,conflict,crossed,duel,faction,fantasy,game,melee,medieval,opponent,rivalry,rpg,versus,weapon,war,warrior
syringe:medicine,medical,needle,pump,plunger,nozzle,blood
table:spreadsheet,grid
table-2:spreadsheet,grid
table-cells-merge:spreadsheet,grid,row
table-cells-split:spreadsheet,grid,row
table-columns-split:spreadsheet,grid,cut,break,divide,separate,segment
table-of-contents:toc,outline,navigation,document structure,index,overview,sections,chapters,content,documentation,manual,knowledge base,faq
table-properties:property list,plist,spreadsheet,grid,dictionary,object,hash
table-rows-split:spreadsheet,grid,cut,break,divide,separate,segment
tablet:device,mobile,screen,display,touchscreen,portable,responsive
tablet-smartphone:phone,cellphone,device,mobile,screen,display,touchscreen,portable,responsive,screens,browser,testing
tablets:medicine,medication,drug,prescription,pills,pharmacy
tag:label,badge,ticket,mark
tag-plus:label,badge,ticket,mark,new,add,create,+
tag-x:label,badge,ticket,mark,x,delete,remove
tags:labels,badges,tickets,marks,copy,multiple
tally-1:count,score,enumerate,days,one,1,first,bar,prison,cell,sentence
tally-2:count,score,enumerate,days,two,2,second,double,bars,prison,cell,sentence
tally-3:count,score,enumerate,days,three,3,third,triple,bars,prison,cell,sentence
tally-4:count,score,enumerate,days,4,fourth,quadruple,bars,prison,cell,sentence
tally-5:count,score,enumerate,days,five,5,fifth,bars,prison,cell,sentence,slash,/
tangent:tangential,shape,circle,geometry,trigonometry,bezier curve
target:logo,bullseye,deadline,projects,overview,work,productivity
telescope:astronomy,space,discovery,exploration,explore,vision,perspective,focus,stargazing,observe,view
tent:tipi,teepee,wigwam,lodge,camping,campsite,holiday,retreat,nomadic,native american,indian,wilderness,outdoors
tent-tree:camping,campsite,holiday,retreat,nomadic,wilderness,outdoors
terminal:code,command line,prompt,shell
test-tube:tube,vial,phial,flask,ampoule,ampule,lab,chemistry,experiment,test
test-tube-diagonal:test tube 2,tube,vial,phial,flask,ampoule,ampule,lab,chemistry,experiment,test
test-tubes:tubes,vials,phials,flasks,ampoules,ampules,lab,chemistry,experiment,test
text-align-center:align center,text,alignment,center
text-align-end:align right,text,alignment,right
text-align-justify:align justify,text,alignment,justified,menu,list
text-align-justify-center:paragraph,alignment,justified,center,middle,typography,editor,document
text-align-justify-end:paragraph,alignment,justified,right,end,typography,editor,document
text-align-justify-start:paragraph,alignment,justified,left,start,typography,editor,document
text-align-start:align left,text,alignment,left,list
text-cursor:select,caret,type,typing,write,writing,edit,insert,input,textarea
text-cursor-input:select
text-initial:letter text,drop cap,text,format,typography,letter,font size
text-quote:blockquote,quotation,indent,reply,response
text-search:find,data,copy,txt,pdf,document,scan,magnifier,magnifying glass,lens
text-wrap:wrap text,words,lines,break,paragraph
theater:theatre,entertainment,podium,stage,musical
thermometer:temperature,celsius,fahrenheit,weather
thermometer-snowflake:temperature,celsius,fahrenheit,weather,cold,freeze,freezing
thermometer-sun:temperature,celsius,fahrenheit,weather,warm,hot
thumbs-down:dislike,bad,emotion
thumbs-up:like,good,emotion
tic-tac-toe:game,board,grid,strategy,noughts and crosses
ticket:entry,pass,voucher,event,concert,show,perforated,dashed
ticket-check:entry,pass,voucher,event,concert,show,booked,purchased,receipt,redeemed,validated,verified,certified,checked,used
ticket-minus:entry,pass,voucher,event,concert,show,remove,cancel,unbook,subtract,decrease,-
ticket-percent:discount,reduced,offer,voucher,entry,pass,event,concert,show,book,purchase,%
ticket-plus:entry,pass,voucher,event,concert,show,book,purchase,add,+
ticket-slash:entry,pass,voucher,event,concert,show,redeemed,used,marked,checked,verified,spoiled,invalidated,void,denied,refused,banned,barred,forbidden,prohibited,cancelled,cancellation,refunded,delete,remove,clear,error
ticket-x:entry,pass,voucher,event,concert,show,cancelled,cancellation,refunded,used,void,invalidated,spoiled,denied,refused,banned,barred,forbidden,prohibited,delete,remove,clear,error,x
tickets:trip,travel,pass,entry,voucher,event,concert,show,perforated,dashed
tickets-plane:plane,trip,airplane,flight,travel,fly,takeoff,vacation,passenger,pass,check-in,airport
timeline:tags,history
timer:time,stopwatch
timer-off:time,timer,stopwatch
timer-reset:time,timer,stopwatch
toggle-left:on,off,switch,boolean
toggle-right:on,off,switch,boolean
toilet:potty,bathroom,washroom
tombstone:grave,gravestone,headstone,cemetery,graveyard,death,memorial,funeral,halloween,rip,obituary,deceased,epitaph,mourning,bereavement,condolence,deprecated,retired,archived,decommissioned
tool-case:tools,maintenance,repair
toolbox:toolkit,tools,trunk,chest,box,storage,utility,utilities,container,kit,set,repair,fix,service,maintenance,mechanic,workshop,construction,hardware,equipment,gear,handyman,engineering,craft,diy
toothbrush:dental care,oral hygiene,brushing,teeth,dentist,bathroom,toiletries,personal care,cleaning,bristles,handle,plaque,toothpaste,self care,grooming
toothbrush-sparkles:dental care,oral hygiene,brushing,teeth,dentist,bathroom,toiletries,personal care,cleaning,bristles,handle,plaque,toothpaste,self care,grooming,fresh,clean
tornado:weather,wind,storm,hurricane
torus:donut,doughnut,ring,hollow,3d,fast food,junk food,snack,treat,sweet,sugar,dessert
touchpad:trackpad,cursor
touchpad-off:trackpad,cursor
towel-rack:flannel,bathroom,toiletries,sanitation,clean,fresh,dry,laundry,laundrette,hospitality,housekeeping,room service,spa break,health club,amenities,hanging
tower-control:airport,travel,tower,transportation,lighthouse
toy-brick:lego,block,addon,plugin,integration
tractor:farming,farmer,ranch,harvest,equipment,vehicle
traffic-cone:roadworks,tarmac,safety,block
trailer:tow,shipping,delivery,haulage,vehicle,equipment,freight
train-front:railway,metro,subway,underground,high-speed,bullet,fast,track,line
train-front-tunnel:railway,metro,subway,underground,speed,bullet,fast,track,line
train-track:railway,line
tram-front:train,railway,metro,subway,underground,track,line,tourism
transgender:gender,inclusive
trash:trash 2,empty,deletion,cleanup,junk,clear,garbage,delete,remove,bin,waste,recycle,discard,binoculars,rubbish
trash-off:empty,deletion,cleanup,junk,clear,garbage,delete,remove,bin,trash,waste,recycle,discard,rubbish,disabled,off,prevent,locked,unavailable,protected
tree-deciduous:tree,forest,park,nature
tree-palm:palmtree,vacation,leisure,island
tree-pine:tree,pine,forest,park,nature
trees:tree,forest,park,nature
trending-down:statistics
trending-up:statistics
trending-up-down:arrows,estimated,indeterminate,data fluctuation,uncertain,forecast,variable,prediction,dynamic,volatile
triangle:equilateral,delta,shape,pyramid,hierarchy
triangle-alert:alert triangle,warning,alert,danger,exclamation mark,linter
triangle-dashed:equilateral,delta,shape,pyramid,hierarchy,dashed
triangle-right:volume,controls,controller,tv remote,geometry,delta,ramp,slope,incline,increase
triangles-centerline-dashed-horizontal:flip horizontal 2,reflect,mirror,alignment,dashed
triangles-centerline-dashed-vertical:flip vertical 2,reflect,mirror,alignment,dashed
trophy:prize,sports,winner,achievement,award,champion,celebration,victory,competition,tournament,leaderboard,ranking,success,reward,cup,first,gold
truck:delivery,van,shipping,haulage,lorry
truck-electric:delivery,van,shipping,haulage,lorry,electric
tube-lotion:sunscreen,sunblock,spf,uv,cream,skincare,toothpaste,ointment,bottle,toiletries,bathroom,beach,summer
turkish-lira:currency,money,payment
turntable:record player,gramophone,stereo,phonograph,vinyl,lp,disc,platter,cut,music,analog,retro,dj deck,disc jockey,scratch,spinning
turtle:animal,pet,tortoise,slow,speed
tv:television,stream,display,widescreen,high-definition,hd,1080p,4k,8k,smart,digital,video,entertainment,showtime,channels,terrestrial,satellite,cable,broadcast,live,frequency,tune,scan,aerial,receiver,transmission,signal,connection,connectivity
tv-minimal:tv 2,flat screen,television,stream,display,widescreen,high-definition,hd,1080p,4k,8k,smart,digital,video,home cinema,entertainment,showtime,channels,catchup
tv-minimal-play:flat screen,television,stream,display,widescreen,high-definition,hd,1080p,4k,8k,smart,digital,video,movie,live,ott,running,start,film,home cinema,entertainment,showtime,channels,catchup
type:text,font,typography
type-outline:text,font,typography,silhouette,profile,contour,stroke,line
umbrella:rain,weather
umbrella-off:rain,weather,uncovered,uninsured,antivirus,unprotected,risky
underline:text,format
undo:redo,rerun,history
undo-2:redo,rerun,history,back,return,reverse,revert,direction,u-turn
undo-dot:redo,history,step,back
unfold-horizontal:arrow,collapse,fold,vertical,dashed
unfold-vertical:arrow,expand,vertical,dashed
ungroup:cubes,packages,parts,units,collection,cluster,separate
university:school 2,building,education,childhood,school,college,academy,institute
unlink:url,unchain
unlink-2:url,unchain
unplug:electricity,energy,electronics,socket,outlet,disconnect
upload:file
usb:universal,serial,bus,controller,connector,interface
usb-c-port:universal,serial,bus,controller,connector,interface,socket,plug,slot,data,input,output
user:person,account,contact
user-check:followed,subscribed,done,todo,tick,complete,task
user-cog:settings,edit,cog,gear
user-group:group,people,team,members,community,membership,collaboration,organization,contacts,directory,staff,family,ancestry,ancestors,lineage,parents
user-key:passkey,password,login,authentication,authorization,roles,permissions,private,public,security,person,account,contact
user-lock:person,lock,locked,account,secure
user-minus:delete,remove,unfollow,unsubscribe
user-pen:person,account,contact,profile,edit,change
user-plus:new,add,create,follow,subscribe
user-round:user 2,person,account,contact
user-round-arrow-left:person,assign,move,give,setup,self,me,myself,profile,avatar,incoming,recipient,assignee,inbound
user-round-check:user check 2,followed,subscribed,done,todo,tick,complete,task
user-round-cog:user cog 2,settings,edit,cog,gear
user-round-group:group,people,team,members,community,membership,collaboration,organization,contacts,directory,staff,family,ancestry,ancestors,lineage,parents
user-round-key:passkey,password,login,authentication,authorization,roles,permissions,private,public,security,person,account,contact
user-round-minus:user minus 2,delete,remove,unfollow,unsubscribe
user-round-pen:person,account,contact,profile,edit,change
user-round-plus:user plus 2,new,add,create,follow,subscribe
user-round-search:person,account,contact,find,scan,magnifier,magnifying glass,lens
user-round-star:person,account,favorite,contact,like,review,rating,admin,avatar,profile,featured,moderator,verified,badge,award,champion,starred
user-round-x:user x 2,delete,remove,unfollow,unsubscribe,unavailable
user-search:person,account,contact,find,scan,magnifier,magnifying glass,lens
user-shield:user,shield,admin,protected,guard,profile,security,privacy,permissions,role
user-star:person,account,favorite,contact,like,review,rating,admin
user-x:delete,remove,unfollow,unsubscribe,unavailable
users:group,people
users-collaboration:group,people,collaboration,users,team,communication,cooperative,workspace,peer-to-peer,p2p,shared,delegation,handoff,coauthor,profiles
users-round:users 2,group,people
users-round-collaboration:group,people,collaboration,users,team,communication,cooperative,workspace,peer-to-peer,p2p,shared,delegation,handoff,coauthor,profiles
utensils:fork knife,fork,knife,cutlery,flatware,tableware,silverware,food,restaurant,meal,breakfast,dinner,supper
utensils-crossed:fork knife crossed,fork,knife,cutlery,flatware,tableware,silverware,food,restaurant,meal,breakfast,dinner,supper
utility-pole:electricity,energy,transmission line,telegraph pole,power lines,phone
van:minivan,cart,wagon,truck,lorry,trailer,camper,vehicle,drive,trip,journey,transport,carriage,delivery,travel
variable:code,coding,programming,symbol,calculate,algebra,x,parentheses,parenthesis,brackets,parameter,(,)
vault:safe,lockbox,deposit,locker,coffer,strongbox,safety,secure,storage,valuables,bank
vector-polygon:map,vector,geometry,coordinates,shape,location,boundary,area,region,gis,geospatial,vertices,points,outline,drawing,design,math
vector-square:shape,geometry,art,width,height,size,calculate,measure,select,graphics,box
vegan:vegetarian,fruitarian,herbivorous,animal rights,diet
venetian-mask:mask,masquerade,impersonate,secret,incognito
venus:gender,sex,female,feminine,woman,girl
venus-and-mars:gender,sex,intersex,androgynous,hermaphrodite
vibrate:smartphone,notification,rumble,haptic feedback,screen
vibrate-off:smartphone,notification,rumble,haptic feedback,notifications,screen
video:camera,movie,film,recording,motion picture,camcorder,reel
video-off:camera,movie,film
videotape:vhs,movie,film,recording,motion picture,showreel,cassette
view:eye,look
virus:pathogen,infection,disease,illness,contagion,outbreak,pandemic,epidemic,covid,coronavirus,germ,microbe,microorganism,biology,medical,healthcare,malware,cybersecurity,threat
virus-off:pathogen,infection,disease,illness,contagion,outbreak,pandemic,epidemic,covid,coronavirus,germ,microbe,microorganism,biology,medical,healthcare,malware,cybersecurity,threat,antivirus,blocked,removed,clean,safe,prevention,quarantine
voicemail:phone,cassette,tape,reel,recording,audio
volleyball:beach,sand,net,holiday,vacation,summer,soccer,football,futbol,kick,pitch,goal,score,bounce,leather,wool,yarn,knitting,sewing,thread,embroidery,textile
volume:music,sound,mute,speaker
volume-1:music,sound,speaker
volume-2:music,sound,speaker
volume-off:music,sound,mute,speaker
volume-x:music,sound,mute,speaker
vote:poll,ballot,political,social,check,tick
wallet:money,finance,pocket
wallet-cards:wallet,cards,banking,cash,debit,transport,money,finance,pocket,credit,purchase,payment,shopping,retail,consumer,cc
wallet-minimal:wallet 2,finance,pocket
wallpaper:background,texture,image,art,design,visual,decor,pattern,screen,cover,lock screen
wand:magic,selection
wand-sparkles:wand 2,magic,wizard,magician
warehouse:storage,storehouse,depot,depository,repository,stockroom,logistics,building
washing-machine:tumble dryer,amenities,electronics,cycle,clothes,rinse,spin,drum
watch:clock,time
waves-arrow-down:water,sea,level,sound,hertz,wavelength,vibrate,low,tide,ocean,rising,down,falling
waves-arrow-up:water,sea,level,sound,hertz,wavelength,vibrate,high,tide,ocean,rising
waves-horizontal:waves,water,sea,sound,hertz,wavelength,vibrate,ocean,swimming,frequency
waves-ladder:swimming,water,pool,lifeguard,ocean,🌊,🏊‍♂️,🏊‍♀️,🏊,🥽
waves-vertical:steam,warmth,temperature,burn,hot,boiling,heat,smoke,vapor,smell,aroma,sauna
waypoints:indirection,vpn,virtual private network,proxy,connections,bounce,reroute,path,journey,planner,stops,stations,shared,spread,viral
webcam:camera,security
webcam-off:camera,security
webhook:push api,interface,callback
webhook-off:push api,interface,callback
weight:mass,heavy,lead,metal,measure,geometry,scales,balance
weight-tilde:measure,scale,estimate,load,balance,size,measurement,quantity,mass
wheat:corn,cereal,grain,gluten
wheat-off:corn,cereal,grain,gluten free,allergy,intolerance,diet
whistle:alert,signal,sound,blow,noise,coach,trainer,referee,gym,game,training,sports,traffic cops,police,lifeguard,safety,rescue,emergency
whole-word:text,selection,letters,characters,font,typography
wifi:connection,signal,wireless
wifi-cog:connection,signal,wireless,directory,settings,control,preferences,cog,edit,gear
wifi-high:connection,signal,wireless
wifi-lock:admin,connection,secure,security,signal,network,password,wireless,hotspot,encrypted,locked,private,ssid,guest,router,access,authentication,protected
wifi-low:connection,signal,wireless
wifi-off:disabled
wifi-pen:edit,wifi,pen,change,network
wifi-sync:connection,signal,wireless,synchronize,reconnect,reset,restart
wifi-zero:connection,signal,wireless
wind:weather,air,blow
wind-arrow-down:weather,air,pressure,blow
wind-arrow-up:weather,air,pressure,blow,gust,windy,sort,increase
wine:alcohol,beverage,bar,drink,glass,sommelier,vineyard,winery
wine-off:alcohol,beverage,drink,glass,alcohol free,abstinence,abstaining,teetotalism,allergy,intolerance
workflow:action,continuous integration,ci,automation,devops,network,node,connection
worm:invertebrate,grub,larva,snake,crawl,wiggle,slither,pest control,computer virus,malware
wrench:account,settings,spanner,diy,toolbox,build,construction
wrench-off:account,settings,spanner,diy,toolbox,build,construction,off,service,maintenance,disabled
x:cancel,close,cross,delete,ex,remove,times,clear,math,multiply,multiplication
x-line-top:line,top,arrow,navigation,up,pointer,direction,vector,symbol,cancel,close,delete,remove,times,clear,math,multiply,multiplication,mean,median,average,x̄
zap:flash,camera,lightning,electricity,energy,power,quick
zap-off:flash,camera,lightning,electricity,energy,power
zodiac-aquarius:water bearer,waves,innovation,air,future,astrology,star sign,horoscope,constellation,celestial
zodiac-aries:ram,horns,fire,energy,initiative,astrology,star sign,horoscope,constellation,celestial
zodiac-cancer:crab,shell,protection,water,intuition,astrology,star sign,horoscope,constellation,celestial
zodiac-capricorn:goat,mountain,ambition,earth,discipline,astrology,star sign,horoscope,constellation,celestial
zodiac-gemini:twins,duality,communication,air,adaptability,astrology,star sign,horoscope,constellation,celestial
zodiac-leo:lion,crown,leadership,fire,confidence,astrology,star sign,horoscope,constellation,celestial
zodiac-libra:scales,balance,justice,air,harmony,astrology,star sign,horoscope,constellation,celestial
zodiac-ophiuchus:serpent,snake holder,healing,knowledge,astronomy,astrology,star sign,horoscope,constellation,celestial
zodiac-pisces:fish,duality,water,dreams,empathy,astrology,star sign,horoscope,constellation,celestial
zodiac-sagittarius:archer,arrow,exploration,fire,philosophy,astrology,star sign,horoscope,constellation,celestial
zodiac-scorpio:scorpion,stinger,intensity,water,transformation,astrology,star sign,horoscope,constellation,celestial
zodiac-taurus:bull,strength,stability,earth,endurance,astrology,star sign,horoscope,constellation,celestial
zodiac-virgo:virgin,maiden,harvest,precision,earth,analysis,astrology,star sign,horoscope,constellation,celestial
zoom-in:magnifying glass,plus
zoom-out:magnifying glass,plus
`;
