// The real package has 43,000 files, and react-admin shows some 60 of its icons. Here each icon is a dot.
import { createSvgIcon } from '@mui/material/utils';
import { createElement } from 'react';

export default createSvgIcon(createElement('circle', { cx: 12, cy: 12, r: 6 }), 'Dot');
