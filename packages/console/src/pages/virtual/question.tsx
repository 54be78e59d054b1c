import { useMutation } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { useCaller } from '../../api/api.js';
import { Button } from '../../ui/controls/button.js';
import { Field } from '../../ui/controls/field.js';
import { Form } from '../../ui/controls/form.js';
import { FromProgram } from './from-program.js';

interface AskAnswer {
  outcome: 'answered' | 'timed_out' | 'replaced';
  answer: string | null;
}

const timeoutS = 60;
const answers = ['Yes', 'Not now'];

interface Props {
  id: string;
  online: boolean;
  /** Called when a question is sent: it appears on the drawn robot, which may be out of view. */
  onAsk: () => void;
  /** Called with the outcome, and with '' when a question is sent. */
  onOutcome: (text: string) => void;
}

export const Question = memo(function Question({ id, online, onAsk, onOutcome }: Props) {
  const caller = useCaller();
  const [question, setQuestion] = useState('Shall we go for a walk?');
  const [hasAnswer, setHasAnswer] = useState(false);
  const ask = useMutation<AskAnswer, Error, string>({
    mutationFn: (question) =>
      caller.post(
        `/console/v1/robots/${encodeURIComponent(id)}/ask`,
        { question, answers, timeout_s: timeoutS },
        { timeoutMs: (timeoutS + 30) * 1000 },
      ),
  });
  return (
    <section className="virtual-question card" aria-labelledby="question-title">
      <h2 id="question-title">Ask a question</h2>
      <Form
        error={ask.error}
        fields={['question']}
        onSubmit={() => {
          onAsk();
          onOutcome('');
          ask.mutate(question, {
            onSuccess: (answer) => {
              onOutcome(outcomeText(answer));
              if (answer.outcome === 'answered') setHasAnswer(true);
            },
          });
        }}
        actions={
          <Button type="submit" look="primary" icon="send" isPending={ask.isPending} isDisabled={!online}>
            Ask
          </Button>
        }
      >
        <Field label="Question" name="question" value={question} onChange={setQuestion} isRequired />
      </Form>
      <p className="virtual-answer" role="status">
        {ask.isPending ? 'The question is on the screen of the robot. Tap an answer there.' : outcomeText(ask.data)}
      </p>
      {hasAnswer && <FromProgram robot={id} args={{ question, answers }} />}
    </section>
  );
});

function outcomeText(data: AskAnswer | undefined): string {
  if (data === undefined) return '';
  if (data.outcome === 'answered') return `You tapped “${data.answer}”. A program receives this answer.`;
  return data.outcome === 'timed_out'
    ? 'Nobody tapped within a minute: the outcome is timed_out.'
    : 'Another question replaced it: the outcome is replaced.';
}
