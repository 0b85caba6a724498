import { alpha, Chip, type Theme } from '@mui/material';

type Tone = 'success' | 'warning' | 'info' | 'error' | 'quiet';

const TONES: Record<string, Tone> = {
  available: 'success',
  active: 'success',
  placed: 'warning',
  pending: 'warning',
  approved: 'info',
  delivered: 'success',
  banned: 'error',
  revoked: 'error',
  failing: 'warning',
};

/** The status of an animal or an order, the state of a key, or of a webhook. */
export function StatusChip({ status }: { status: string }) {
  const tone = TONES[status] ?? 'quiet';
  const colour = ({ palette }: Theme) => (tone === 'quiet' ? palette.text.secondary : palette[tone].main);
  return (
    <Chip
      size="small"
      label={status}
      sx={{ color: colour, bgcolor: (theme) => alpha(colour(theme), 0.1), borderRadius: 1.5 }}
    />
  );
}
