import { Button } from '../controls/button.js';
import { DecisionButton } from '../decision/decision-button.js';

interface DialogActionsProps {
  send: string;
  isPending: boolean;
  onCancel: () => void;
  /** True: sending decides something that must have been read; `deletes`: and deletes something. */
  decides?: boolean | 'deletes';
}

export function DialogActions({ send, isPending, onCancel, decides = false }: DialogActionsProps) {
  return (
    <>
      <Button isDisabled={decides === 'deletes' && isPending} onPress={onCancel}>
        Cancel
      </Button>
      {decides === false ? (
        <Button type="submit" look="primary" isPending={isPending}>
          {send}
        </Button>
      ) : (
        <DecisionButton look={decides === 'deletes' ? 'danger' : 'primary'} isPending={isPending}>
          {send}
        </DecisionButton>
      )}
    </>
  );
}
