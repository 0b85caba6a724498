import UploadIcon from '@mui/icons-material/UploadFile';
import { Alert, Box, Button, Stack, Typography } from '@mui/material';
import { useMemo, useRef, useState, type DragEvent } from 'react';
import { Title } from 'react-admin';
import { BackLink } from '../../shared/back-link';
import { Section } from '../../shared/section';
import { ColumnPicker } from './column-picker';
import { ImportProgress } from './import-progress';
import { Preview } from './preview';
import { matchColumns, rowsOf, tableOf, type Columns, type Table } from './rows';
import { useImport } from './use-import';

/** Adds the animals of a CSV file: the file, its columns, what is wrong with it, and a report. */
export default function AnimalImport() {
  const [file, setFile] = useState<{ name: string; table: Table }>();
  const [columns, setColumns] = useState<Columns>();
  const [problem, setProblem] = useState<string>();
  async function choose(chosen: File | undefined) {
    if (chosen === undefined) return;
    setProblem(undefined);
    try {
      const table = await tableOf(chosen);
      setFile({ name: chosen.name, table });
      setColumns(matchColumns(table.columns));
    } catch (error) {
      setFile(undefined);
      setProblem((error as Error).message);
    }
  }
  return (
    <>
      <Title title="Import animals" />
      <BackLink to="/animals">All animals</BackLink>
      <Stack spacing={2} sx={{ maxWidth: 860, pb: 2 }}>
        {problem !== undefined && <Alert severity="error">{problem}</Alert>}
        {file === undefined || columns === undefined ? (
          <FileField onChoose={(chosen) => void choose(chosen)} />
        ) : (
          <Import
            key={JSON.stringify([file.name, columns])}
            file={file}
            columns={columns}
            onColumns={setColumns}
            onOther={() => setFile(undefined)}
          />
        )}
      </Stack>
    </>
  );
}

function FileField({ onChoose }: { onChoose: (file: File | undefined) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    onChoose(event.dataTransfer.files[0]);
  }
  return (
    <Section title="Choose a file">
      <Typography color="textSecondary" sx={{ mb: 1.5 }}>
        A CSV file whose first line names the columns: name and categoryId, and status if you like. Nothing is
        added before you have seen a preview.
      </Typography>
      <Box
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        sx={{
          p: 4,
          textAlign: 'center',
          border: '2px dashed',
          borderColor: isOver ? 'primary.main' : 'divider',
          borderRadius: 2,
        }}
      >
        <input
          ref={input}
          type="file"
          accept=".csv,text/csv"
          aria-label="CSV file"
          hidden
          onChange={(event) => onChoose(event.target.files?.[0])}
        />
        <Button variant="contained" startIcon={<UploadIcon />} onClick={() => input.current?.click()}>
          Choose a CSV file
        </Button>
        <Typography color="textSecondary" sx={{ mt: 1 }}>
          or drop it here
        </Typography>
      </Box>
    </Section>
  );
}

interface ImportProps {
  file: { name: string; table: Table };
  columns: Columns;
  onColumns: (columns: Columns) => void;
  onOther: () => void;
}

function Import({ file, columns, onColumns, onOther }: ImportProps) {
  const rows = useMemo(() => rowsOf(file.table, columns), [file, columns]);
  const { progress, start, goOn, stop } = useImport(rows);
  const valid = rows.filter(({ problem }) => problem === undefined).length;
  if (progress.phase !== 'ready')
    return <ImportProgress progress={progress} onGoOn={goOn} onStop={stop} onOther={onOther} />;
  return (
    <>
      <Section title={file.name} actions={<Button onClick={onOther}>Another file</Button>}>
        <ColumnPicker names={file.table.columns} columns={columns} onChange={onColumns} />
      </Section>
      <Preview rows={rows} />
      <Box>
        <Button variant="contained" size="large" disabled={valid === 0} onClick={start}>
          Import {valid.toLocaleString('en')} {valid === 1 ? 'animal' : 'animals'}
        </Button>
      </Box>
    </>
  );
}
