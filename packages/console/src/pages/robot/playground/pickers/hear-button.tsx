import { useState } from 'react';
import { Button } from '../../../../ui/controls/button.js';

/** Samples a second. */
const rate = 24_000;

let context: AudioContext | null = null;
let playing: AudioBufferSourceNode | null = null;

/** Plays a chime in this browser, as the service makes it for the robot. */
export function HearButton({ chime }: { chime: string }) {
  const [problem, setProblem] = useState('');
  const hear = async (): Promise<void> => {
    try {
      // Made within the press, without which browsers allow no sound.
      context ??= new AudioContext({ sampleRate: rate });
      void context.resume();
      const { samplesOf } = await import('@perch/sound');
      const samples = samplesOf({ chime }, rate);
      const buffer = context.createBuffer(1, samples.length, rate);
      buffer.copyToChannel(samples as Float32Array<ArrayBuffer>, 0);
      playing?.stop();
      playing = context.createBufferSource();
      playing.buffer = buffer;
      playing.connect(context.destination);
      playing.start();
      setProblem('');
    } catch {
      setProblem('This browser plays no sound.');
    }
  };
  return (
    <div className="row">
      <Button small icon="sound" isDisabled={chime === ''} onPress={() => void hear()}>
        {chime === '' ? 'Hear it here' : `Hear ${chime} here`}
      </Button>
      <span role="status" className="field-error">
        {problem}
      </span>
    </div>
  );
}
