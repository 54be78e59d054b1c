import { Button } from '../controls/button.js';

export function DialogActions({ send, isPending, onCancel }: { send: string; isPending: boolean; onCancel: () => void }) {
  return (
    <>
      <Button onPress={onCancel}>Cancel</Button>
      <Button type="submit" look="primary" isPending={isPending}>
        {send}
      </Button>
    </>
  );
}
