import ExploreIcon from '@mui/icons-material/ExploreOffOutlined';
import { Button } from '@mui/material';
import { Title } from 'react-admin';
import { Link } from 'react-router-dom';
import { Empty } from '../shared/empty';

/** What an address shows that names no view, or one that the key does not open. */
export const NoSuchView = () => (
  <>
    <Title title="No such view" />
    <Empty
      icon={ExploreIcon}
      title="There is no such view"
      action={
        <Button component={Link} to="/" variant="contained">
          To the overview
        </Button>
      }
    >
      The address is mistyped, or your key does not open what it names.
    </Empty>
  </>
);
