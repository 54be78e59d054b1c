/** A short text in each script: "Good morning", "Shall we begin?", "Yes", "No". */
export interface Sample {
  name: string;
  greeting: string;
  question: string;
  answers: [yes: string, no: string];
  lang?: string;
}

export const samples: readonly Sample[] = [
  { name: 'Latin', greeting: 'Grüße, Łódź, Việt Nam', question: 'Möchtest du jetzt anfangen?', answers: ['Ja, sofort', 'Nein'] },
  { name: 'Cyrillic', greeting: 'Доброе утро', question: 'Начнём прямо сейчас?', answers: ['Да', 'Нет'] },
  { name: 'Greek', greeting: 'Καλημέρα', question: 'Να ξεκινήσουμε τώρα;', answers: ['Ναι', 'Όχι'] },
  { name: 'Armenian', greeting: 'Բարի լույս', question: 'Սկսե՞նք հիմա', answers: ['Այո', 'Ոչ'] },
  { name: 'Georgian', greeting: 'დილა მშვიდობისა', question: 'დავიწყოთ ახლა?', answers: ['კი', 'არა'] },
  { name: 'Hebrew', greeting: 'בוקר טוב', question: 'להתחיל עכשיו?', answers: ['כן', 'לא'] },
  { name: 'Arabic', greeting: 'صباح الخير', question: 'هل نبدأ الآن؟', answers: ['نعم', 'لا'] },
  { name: 'Devanagari', greeting: 'सुप्रभात', question: 'क्या हम अभी शुरू करें?', answers: ['हाँ', 'नहीं'] },
  { name: 'Bengali', greeting: 'সুপ্রভাত', question: 'আমরা কি এখন শুরু করব?', answers: ['হ্যাঁ', 'না'] },
  { name: 'Tamil', greeting: 'காலை வணக்கம்', question: 'இப்போது தொடங்கலாமா?', answers: ['ஆம்', 'இல்லை'] },
  { name: 'Telugu', greeting: 'శుభోదయం', question: 'ఇప్పుడు ప్రారంభిద్దామా?', answers: ['అవును', 'కాదు'] },
  { name: 'Kannada', greeting: 'ಶುಭೋದಯ', question: 'ಈಗ ಪ್ರಾರಂಭಿಸೋಣವೇ?', answers: ['ಹೌದು', 'ಇಲ್ಲ'] },
  { name: 'Malayalam', greeting: 'സുപ്രഭാതം', question: 'ഇപ്പോൾ തുടങ്ങാമോ?', answers: ['അതെ', 'ഇല്ല'] },
  { name: 'Gujarati', greeting: 'સુપ્રભાત', question: 'શું આપણે હવે શરૂ કરીએ?', answers: ['હા', 'ના'] },
  { name: 'Gurmukhi', greeting: 'ਸ਼ੁਭ ਸਵੇਰ', question: 'ਕੀ ਅਸੀਂ ਹੁਣ ਸ਼ੁਰੂ ਕਰੀਏ?', answers: ['ਹਾਂ', 'ਨਹੀਂ'] },
  { name: 'Odia', greeting: 'ଶୁଭ ସକାଳ', question: 'ଏବେ ଆରମ୍ଭ କରିବା କି?', answers: ['ହଁ', 'ନା'] },
  { name: 'Sinhala', greeting: 'සුභ උදෑසනක්', question: 'දැන් පටන් ගමුද?', answers: ['ඔව්', 'නැහැ'] },
  { name: 'Thai', greeting: 'สวัสดีตอนเช้า', question: 'เริ่มตอนนี้เลยไหม', answers: ['ใช่', 'ไม่'] },
  { name: 'Lao', greeting: 'ສະບາຍດີຕອນເຊົ້າ', question: 'ເລີ່ມດຽວນີ້ເລີຍບໍ?', answers: ['ແມ່ນ', 'ບໍ່'] },
  { name: 'Khmer', greeting: 'អរុណសួស្តី', question: 'តើយើងចាប់ផ្តើមឥឡូវនេះទេ?', answers: ['បាទ', 'ទេ'] },
  { name: 'Burmese', greeting: 'မင်္ဂလာနံနက်ခင်းပါ', question: 'အခု စကြမလား။', answers: ['ဟုတ်ကဲ့', 'မဟုတ်ပါ'] },
  { name: 'Ethiopic', greeting: 'እንደምን አደሩ', question: 'አሁን እንጀምር?', answers: ['አዎ', 'አይ'] },
  { name: 'Japanese', greeting: 'おはようございます', question: '今すぐ始めましょうか。', answers: ['はい', 'いいえ'] },
  { name: 'Chinese, simplified', greeting: '早上好，今天天气真好', question: '现在开始吗？', answers: ['好的', '不用了'] },
  { name: 'Chinese, traditional', greeting: '早安，今天天氣真好', question: '現在開始嗎？', answers: ['好的', '不用了'], lang: 'zh-Hant' },
  { name: 'Korean', greeting: '좋은 아침입니다', question: '지금 시작할까요?', answers: ['네', '아니요'] },
];
