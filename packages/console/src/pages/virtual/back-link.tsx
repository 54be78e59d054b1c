import { Link } from 'react-router';
import { Icon } from '../../ui/icon.js';

export function BackLink() {
  return (
    <Link to="/robots" className="way-back">
      <Icon name="left" size={16} />
      Robots
    </Link>
  );
}
