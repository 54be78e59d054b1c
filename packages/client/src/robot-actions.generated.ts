/** Generated from the schemas of the service by `pnpm run generate`; a test holds it against them. */
import type { CallOptions } from './options.js';
import type {
  AskAnswer,
  AskArguments,
  ClickmapAnswer,
  ClickmapArguments,
  CommandAnswer,
  CommandArguments,
  FaceAnswer,
  FaceArguments,
  LedsAnswer,
  LedsArguments,
  MenuAnswer,
  MenuArguments,
  MoveAnswer,
  MoveArguments,
  SayAnswer,
  SayArguments,
  ShowAnswer,
  ShowArguments,
  SoundAnswer,
  SoundArguments,
  StopAnswer,
} from './types.generated.js';

/** The actions on a robot, a method each. */
export abstract class RobotActions {
  /** Sends one action. */
  protected abstract act<T>(name: string, args: object, options?: CallOptions): Promise<T>;

  /**
   * Show a card or a picture on the screen, or take it away.
   * Send at least one of text, title, note, progress, background, image or clear; color alone shows nothing. A new card replaces the last one. With image, the background fills what the picture leaves free; text, title, note, progress and color are then left out and named in the answer's "ignored". clear is sent alone. During a question the card beneath it changes.
   */
  show(args: ShowArguments, options?: CallOptions): Promise<ShowAnswer> {
    return this.act('show', args, options);
  }

  /**
   * Let the face say something in a speech bubble.
   * Needs the face: when a card or picture is up, send show with clear first; while a question is up, the answer is 400 card_showing.
   */
  say(args: SayArguments, options?: CallOptions): Promise<SayAnswer> {
    return this.act('say', args, options);
  }

  /**
   * Set the face's emotion, or the robot's own screen under cards.
   * Send at least one of emotion and view.
   */
  face(args: FaceArguments, options?: CallOptions): Promise<FaceAnswer> {
    return this.act('face', args, options);
  }

  /**
   * Move the head: a gesture, or yaw and pitch in degrees.
   * Send gesture, or yaw and pitch (one or both); a gesture does not go with angles.
   */
  move(args: MoveArguments, options?: CallOptions): Promise<MoveAnswer> {
    return this.act('move', args, options);
  }

  /**
   * Light the 12 LEDs: one colour, a bar, single pixels, or an effect.
   * Send one of: color; bar (with or without color); pixels; effect (with or without color, speed, seconds); off. bar, pixels, effect and off exclude each other; pixels bring their own colours; effect off takes no color; seconds needs effect.
   */
  leds(args: LedsArguments, options?: CallOptions): Promise<LedsAnswer> {
    return this.act('leds', args, options);
  }

  /**
   * Play a chime or a melody, or set the volume.
   * Send chime or notes, with or without volume, or volume alone; chime and notes exclude each other, and bell needs notes. The answer comes as soon as the sound starts and says how long it plays. A second sound replaces the one that plays.
   */
  sound(args: SoundArguments, options?: CallOptions): Promise<SoundAnswer> {
    return this.act('sound', args, options);
  }

  /**
   * Ask the person at the robot a question and wait for the tap on an answer.
   * Shows the question big and the answers as buttons. The call is held open until the tap, the time-out, a newer ask, menu or clickmap, or a stop; the answer always has the same keys, null where there was no tap.
   */
  ask(args: AskArguments, options?: CallOptions): Promise<AskAnswer> {
    return this.act('ask', args, options);
  }

  /**
   * Show tiles to choose from and wait for the tap on one.
   * An item is a label, or an object with label, image or both, and perhaps an id. The call is held open until the tap, the time-out, a newer ask, menu or clickmap, or a stop; the answer always has the same keys, null where there was no tap.
   */
  menu(args: MenuArguments, options?: CallOptions): Promise<MenuAnswer> {
    return this.act('menu', args, options);
  }

  /**
   * Wait for the first tap inside one of the given regions of the screen.
   * With image the picture is shown first and stays; without it the regions lie over what the screen shows. The call is held open until the tap, the time-out, a newer ask, menu or clickmap, or a stop; the answer always has the same keys, null where there was no tap.
   */
  clickmap(args: ClickmapArguments, options?: CallOptions): Promise<ClickmapAnswer> {
    return this.act('clickmap', args, options);
  }

  /**
   * Send one of the robot's own commands, such as sticker, brightness or ir_send.
   * Which commands a robot has, and their arguments, is in its state. Commands that switch the robot's apps, restart it, turn its streams on or touch its manager's settings are not passed on.
   */
  command(args: CommandArguments, options?: CallOptions): Promise<CommandAnswer> {
    return this.act('command', args, options);
  }

  /**
   * End the wait, the sound, the LED effect and the head motion, in one call.
   * Takes no arguments. The ask, menu or clickmap that waits answers replaced to its caller and its question goes; the sound ends; the effect of the LEDs ends as by leds with effect off; the head goes home, whatever moved it. Cards, the face and the volume stay. When a part fails the others are ended all the same, and the call fails; it may be sent again.
   */
  stop(options?: CallOptions): Promise<StopAnswer> {
    return this.act('stop', {}, options);
  }
}
