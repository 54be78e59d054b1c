/** Generated from the schemas of the service by `pnpm run generate`; a test compares them. */
import type { CallOptions, QuestionOptions } from './options.js';
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
  SpeakAnswer,
  SpeakArguments,
  StopAnswer,
} from './types.generated.js';

/** One method for each action on a robot (POST /v1/robots/{robot}/<action>). */
export abstract class RobotActions {
  /** Sends one action. @throws {PerchError} */
  protected abstract act<T>(name: string, args: object, options?: QuestionOptions): Promise<T>;

  /**
   * Show a card or a picture on the screen, or take it away.
   * Send at least one of text, title, note, icon, qr, sparkline, countdown, progress, background, image or clear; color, align, format, mono, overflow or lang alone show nothing, nor do a title and a note without a visible character. A new card replaces the last one. With image, background fills the area around the picture; all other arguments are then ignored, and the response lists them in "ignored". qr cannot be combined with sparkline, countdown or progress, countdown not with sparkline, mono and pages not with Markdown, pages not with countdown. clear must be sent alone. While a question is showing, the card beneath it changes. With queue the response is sent at once, with the place in the queue; the card is drawn when its turn comes.
   * @throws {PerchError} the service reported a failure, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  show(args: ShowArguments, options?: CallOptions): Promise<ShowAnswer> {
    return this.act('show', args, options);
  }

  /**
   * Let the face say something in a speech bubble.
   * Requires the face: while a card or picture is showing, send show with clear first. While a card or question covers the face, the response is 400 card_showing.
   * @throws {PerchError} the service reported a failure, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  say(args: SayArguments, options?: CallOptions): Promise<SayAnswer> {
    return this.act('say', args, options);
  }

  /**
   * Set the face's emotion, or the robot's own screen under cards.
   * Send at least one of emotion and view.
   * @throws {PerchError} the service reported a failure, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  face(args: FaceArguments, options?: CallOptions): Promise<FaceAnswer> {
    return this.act('face', args, options);
  }

  /**
   * Move the head: a gesture, or yaw and pitch in degrees.
   * Send gesture, or yaw and pitch (one or both). A gesture cannot be combined with angles.
   * @throws {PerchError} the service reported a failure, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  move(args: MoveArguments, options?: CallOptions): Promise<MoveAnswer> {
    return this.act('move', args, options);
  }

  /**
   * Light the 12 LEDs: one colour, a bar, single pixels, or an effect.
   * Send one of: color; bar (with or without color); pixels; effect (with or without color, speed, seconds); off. bar, pixels, effect and off exclude each other; pixels bring their own colours; effect off takes no color; seconds requires effect. brightness goes with all but off.
   * @throws {PerchError} the service reported a failure, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  leds(args: LedsArguments, options?: CallOptions): Promise<LedsAnswer> {
    return this.act('leds', args, options);
  }

  /**
   * Play a chime or a melody, or set the volume.
   * Send chime or notes, with or without volume, or volume alone; chime and notes exclude each other, and bell requires notes. The response is sent as soon as the sound starts and says how long it plays. A second sound replaces the one that is playing. In the quiet hours of the robot, nothing is played and silenced says so; volume is at most the volume_max of the robot (robot_state shows both).
   * @throws {PerchError} the service reported a failure, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  sound(args: SoundArguments, options?: CallOptions): Promise<SoundAnswer> {
    return this.act('sound', args, options);
  }

  /**
   * Ask the person at the robot a question and wait for the tap on an answer.
   * Shows the question in large text and the answers as buttons. The request stays open until the tap, the time-out, a newer ask, menu or clickmap, or a stop, unless detach is sent. The response always has the same fields; they are null if there was no tap.
   * @throws {PerchError} the service reported a failure, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  ask(args: AskArguments, options?: QuestionOptions): Promise<AskAnswer> {
    return this.act('ask', args, options);
  }

  /**
   * Show tiles to choose from and wait for the tap on one.
   * An item is a label, or an object with a label, an image or an icon, or a label and one of these, and optionally an id. The request stays open until the tap, the time-out, a newer ask, menu or clickmap, or a stop, unless detach is sent. The response always has the same fields; they are null if there was no tap.
   * @throws {PerchError} the service reported a failure, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  menu(args: MenuArguments, options?: QuestionOptions): Promise<MenuAnswer> {
    return this.act('menu', args, options);
  }

  /**
   * Wait for the first tap inside one of the given regions of the screen.
   * With image, the picture is shown first and stays on the screen. Without it, the regions apply to whatever the screen shows. The request stays open until the tap, the time-out, a newer ask, menu or clickmap, or a stop, unless detach is sent. The response always has the same fields; they are null if there was no tap.
   * @throws {PerchError} the service reported a failure, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  clickmap(args: ClickmapArguments, options?: QuestionOptions): Promise<ClickmapAnswer> {
    return this.act('clickmap', args, options);
  }

  /**
   * Send one of the robot's own commands, such as sticker, brightness or ir_send.
   * The robot's state lists its commands and their arguments. Commands that switch the robot's apps, restart it, turn its streams on or change its manager's settings are not passed on.
   * @throws {PerchError} the service reported a failure, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  command(args: CommandArguments, options?: CallOptions): Promise<CommandAnswer> {
    return this.act('command', args, options);
  }

  /**
   * Speak a text aloud.
   * The robot speaks the text, and its face shows it in a speech bubble; truncated, missing and adjusted concern the bubble alone. While a card or question covers the face, the robot speaks without the bubble, and caption_left_out says so. The response is sent as soon as the robot speaks. A later sound or speech replaces it; stop ends it. In the quiet hours of the robot, only the bubble is shown and silenced says so. 501 not_offered if the service has no speech engine.
   * @throws {PerchError} the service reported a failure, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  speak(args: SpeakArguments, options?: CallOptions): Promise<SpeakAnswer> {
    return this.act('speak', args, options);
  }

  /**
   * End the wait, the sound, the LED effect and the head motion, in one call.
   * Takes no arguments. A pending ask, menu or clickmap returns replaced to its caller and its question disappears; the sound ends; the LED effect ends as with leds and effect off; the head moves to its home position, whatever moved it. Cards, the face and the volume stay. If one part fails, the others are stopped anyway and the call fails; it can be retried.
   * @throws {PerchError} the service reported a failure, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  stop(options?: CallOptions): Promise<StopAnswer> {
    return this.act('stop', {}, options);
  }
}
