/** Why an installation stopped, and what the owner of the robot can do about it. */

const advices = {
  port_missing:
    'Plug the robot in with a USB cable that carries data, and name its port: /dev/ttyACM0 or similar on Linux, /dev/cu.usbmodem… on macOS.',
  port_denied: 'Your user may not open serial ports. On Linux, add it to the group dialout (sudo usermod -aG dialout $USER) and sign in again.',
  port_busy: 'Close other programs that use the port, such as Thonny, M5Burner or another page, and try again.',
  port_lost:
    'Check the cable, plug the robot in again and start the installation once more. It continues with the file at which it stopped; nothing on the robot is broken.',
  no_reply:
    'If this is the right port, install "UIFlow2 for StackChan" with M5Burner (2.4.8 and 2.5.3 were read), then start here again. If it is installed, press the reset button and try again.',
  wrong_firmware: 'Install "UIFlow2 for StackChan" with M5Burner (2.4.8 and 2.5.3 were read), then start here again.',
  wrong_board: 'Perch runs on the M5Stack StackChan. Install "UIFlow2 for StackChan" with M5Burner, not the firmware for another device.',
  old_firmware: 'Install "UIFlow2 for StackChan" with M5Burner (2.4.8 and 2.5.3 were read), then start here again.',
  unread_firmware:
    'What it does differently is not known. Install a version that was read with M5Burner, or go on all the same: with --any-firmware, or the tick on the page.',
  not_encrypted:
    'Take the address with wss:// that npm start -- --lan prints. To install the robot without encryption all the same, give --unencrypted, or the tick on the page.',
  program_not_signed: 'Nothing was written to the robot. Whoever runs this Perch must sign the robot program once more (perch robot sign).',
  state_not_saved: 'Choose another file, and start the installation once more. Nothing on the robot was changed.',
  no_space: "Delete files of your own from the robot, or install the firmware again with M5Burner, which empties the robot's memory.",
  wifi_password: 'Enter the password again. Upper and lower case matter.',
  wifi_not_found: 'Check the name of the network. The robot finds only networks of 2.4 GHz.',
  wifi_no_connection: "Check the password, move the robot closer to the Wi-Fi's access point and try again.",
  wifi_missing: 'Enter the name and the password of your Wi-Fi.',
  service_unreachable:
    "Check the address. Perch must listen in the robot's network (npm start -- --lan), and the network must let its devices reach each other.",
  write_failed: 'Start the installation once more; what has arrived is kept. If it fails again, install the firmware again with M5Burner.',
  interrupted: 'The robot has been restarted and runs what is on it. Start the installation once more to continue where it stopped.',
  interrupted_stopped:
    'Press the reset button of the robot, which starts what is on it. Start the installation once more to continue where it stopped.',
  device_failed: 'Restart the robot and start the installation once more. If it fails again, install the firmware again with M5Burner.',
} as const;

export type InstallErrorCode = keyof typeof advices;

/** The message says what is wrong, `advice` what to do about it. No failure leaves a robot that the installer cannot continue with. */
export class InstallError extends Error {
  override readonly name = 'InstallError';
  readonly code: InstallErrorCode;

  constructor(code: InstallErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  get advice(): string {
    return advices[this.code];
  }
}
