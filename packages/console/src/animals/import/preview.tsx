import {
  Alert,
  List,
  ListItem,
  ListItemText,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
} from '@mui/material';
import { Section } from '../../shared/section';
import type { Row } from './rows';

const SHOWN = 5;
const MOST_PROBLEMS = 50;

/** The first animals as they would be added, and the lines with mistakes. */
export function Preview({ rows }: { rows: Row[] }) {
  const valid = rows.filter(({ animal }) => animal !== undefined);
  const wrong = rows.filter(({ problem }) => problem !== undefined);
  return (
    <>
      <Section title="Preview">
        {valid.length === 0 ? (
          <Alert severity="warning">No line can be imported yet.</Alert>
        ) : (
          <Table size="small" aria-label="The first animals of the file">
            <TableHead>
              <TableRow>
                <TableCell>Line</TableCell>
                <TableCell>Name</TableCell>
                <TableCell>Category</TableCell>
                <TableCell>Status</TableCell>
              </TableRow>
            </TableHead>
            <TableBody>
              {valid.slice(0, SHOWN).map(({ line, name, animal }) => (
                <TableRow key={line}>
                  <TableCell>{line}</TableCell>
                  <TableCell>{name}</TableCell>
                  <TableCell>{String(animal?.categoryId)}</TableCell>
                  <TableCell>{animal?.status ?? 'available'}</TableCell>
                </TableRow>
              ))}
            </TableBody>
          </Table>
        )}
      </Section>
      {wrong.length > 0 && (
        <Section
          title={`${String(wrong.length)} ${wrong.length === 1 ? 'line has a mistake' : 'lines have mistakes'}`}
        >
          <Alert severity="warning">They are left out. Correct them in the file, or import the others.</Alert>
          <List dense disablePadding>
            {wrong.slice(0, MOST_PROBLEMS).map(({ line, problem }) => (
              <ListItem key={line} disableGutters>
                <ListItemText primary={`Line ${String(line)}: ${problem ?? ''}`} />
              </ListItem>
            ))}
            {wrong.length > MOST_PROBLEMS && (
              <ListItem disableGutters>
                <ListItemText
                  primary={`And ${String(wrong.length - MOST_PROBLEMS)} more, which the report names.`}
                />
              </ListItem>
            )}
          </List>
        </Section>
      )}
    </>
  );
}
