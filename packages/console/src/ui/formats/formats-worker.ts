new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }).format();
new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }).format(0.5);
new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(1, 'day');
[...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment('a')].at(0);
close();
