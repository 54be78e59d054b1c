/** Generated from the schemas of the service by `pnpm run generate`; a test holds it against them. */
import type { ActionSchema } from './action-schema.js';

/** Without the schemas' own package, which takes longer to load than most calls last. */
export const actions: readonly ActionSchema[] = [
  {
    "name": "show",
    "summary": "Show a card or a picture on the screen, or take it away.",
    "description": "Send at least one of text, title, note, progress, background, image or clear; color alone shows nothing. A new card replaces the last one. With image, the background fills what the picture leaves free; text, title, note, progress and color are then left out and named in the answer's \"ignored\". clear is sent alone. During a question the card beneath it changes.",
    "waits": false,
    "args": {
      "type": "object",
      "properties": {
        "text": {
          "type": "string",
          "description": "Big text in the middle; sizes itself."
        },
        "title": {
          "type": "string",
          "description": "Small text at the top, in the colour."
        },
        "note": {
          "type": "string",
          "description": "Small text at the bottom."
        },
        "color": {
          "type": "string",
          "pattern": "^(#[0-9a-fA-F]{6}|red|orange|yellow|green|cyan|blue|purple|pink|white)$",
          "description": "Colour of text, title and bar; default white text, blue title. #rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white."
        },
        "background": {
          "type": "string",
          "pattern": "^(#[0-9a-fA-F]{6}|red|orange|yellow|green|cyan|blue|purple|pink|white)$",
          "description": "Default dark blue. #rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white."
        },
        "progress": {
          "type": "number",
          "minimum": 0,
          "maximum": 1,
          "description": "Progress bar, 0..1."
        },
        "image": {
          "type": "string",
          "contentEncoding": "base64",
          "description": "Used instead of a card, fitted to 320x240. JPEG or PNG in base64, at most 1,600,000 characters and 4096 pixels a side. A data: prefix and white space are set aside."
        },
        "clear": {
          "type": "boolean",
          "description": "Take the card or picture away. false counts as absent."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "say",
    "summary": "Let the face say something in a speech bubble.",
    "description": "Needs the face: when a card or picture is up, send show with clear first; while a question is up, the answer is 400 card_showing.",
    "waits": false,
    "args": {
      "type": "object",
      "required": [
        "text"
      ],
      "properties": {
        "text": {
          "type": "string",
          "minLength": 1,
          "maxLength": 80,
          "description": "At most 80 characters (Unicode code points)."
        },
        "seconds": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 30,
          "default": 6,
          "description": "How long; default 6, at most 30."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "face",
    "summary": "Set the face's emotion, or the robot's own screen under cards.",
    "description": "Send at least one of emotion and view.",
    "waits": false,
    "args": {
      "type": "object",
      "properties": {
        "emotion": {
          "type": "string",
          "enum": [
            "neutral",
            "happy",
            "angry",
            "sad",
            "doubt",
            "sleepy"
          ],
          "description": "Face emotion."
        },
        "view": {
          "type": "string",
          "enum": [
            "face",
            "readings"
          ],
          "description": "The robot's own screen under cards: its face or its readings."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "move",
    "summary": "Move the head: a gesture, or yaw and pitch in degrees.",
    "description": "Send gesture, or yaw and pitch (one or both); a gesture does not go with angles.",
    "waits": false,
    "args": {
      "type": "object",
      "properties": {
        "gesture": {
          "type": "string",
          "enum": [
            "nod",
            "shake",
            "home"
          ],
          "description": "home: face forward."
        },
        "yaw": {
          "type": "number",
          "minimum": -128,
          "maximum": 128,
          "description": "Degrees, -128..128, positive to the robot's left."
        },
        "pitch": {
          "type": "number",
          "description": "Degrees up, 5..85; the robot clamps the value."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "leds",
    "summary": "Light the 12 LEDs: one colour, a bar, single pixels, or an effect.",
    "description": "Send one of: color; bar (with or without color); pixels; effect (with or without color, speed, seconds); off. bar, pixels, effect and off exclude each other; pixels bring their own colours; effect off takes no color; seconds needs effect.",
    "waits": false,
    "args": {
      "type": "object",
      "properties": {
        "color": {
          "type": "string",
          "pattern": "^(#[0-9a-fA-F]{6}|red|orange|yellow|green|cyan|blue|purple|pink|white)$",
          "description": "All LEDs, or the colour of the bar or effect; white when left out. #rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white."
        },
        "bar": {
          "type": "number",
          "minimum": 0,
          "maximum": 1,
          "description": "0..1: light both strips from the screen end, this far."
        },
        "pixels": {
          "type": "array",
          "items": {
            "type": "string",
            "pattern": "^(#[0-9a-fA-F]{6}|red|orange|yellow|green|cyan|blue|purple|pink|white)$",
            "description": "#rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white."
          },
          "minItems": 12,
          "maxItems": 12,
          "description": "12 colours: 0-5 the left strip from the screen end back, 6-11 the right strip from the back to the screen end."
        },
        "effect": {
          "type": "string",
          "enum": [
            "rainbow",
            "breathe",
            "chase",
            "blink",
            "off"
          ],
          "description": "Animation run by the robot."
        },
        "speed": {
          "type": "number",
          "minimum": 0.2,
          "maximum": 5,
          "default": 1,
          "description": "Effect speed, 0.2..5, default 1; without an effect it changes nothing."
        },
        "seconds": {
          "type": "number",
          "minimum": 0,
          "default": 0,
          "description": "Effect length; 0 (default): until the next leds action. Needs effect."
        },
        "off": {
          "type": "boolean",
          "description": "All off; sent alone. false counts as absent."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "sound",
    "summary": "Play a chime or a melody, or set the volume.",
    "description": "Send chime or notes, with or without volume, or volume alone; chime and notes exclude each other, and bell needs notes. The answer comes as soon as the sound starts and says how long it plays. A second sound replaces the one that plays.",
    "waits": false,
    "args": {
      "type": "object",
      "properties": {
        "chime": {
          "type": "string",
          "enum": [
            "ask",
            "break_over",
            "chirp",
            "done",
            "error",
            "hello",
            "lullaby",
            "morning",
            "munch",
            "no",
            "start",
            "tada",
            "whee",
            "yawn",
            "yes"
          ],
          "description": "Ready-made sound."
        },
        "notes": {
          "type": "string",
          "minLength": 1,
          "description": "Melody: <note>:<ms> entries with spaces between, 30 s in all. A note is a letter A to G, an optional # or b and an octave 0..8 (C4 is middle C), or - for a rest: \"C4:200 E4:200 -:100 G4:400\"."
        },
        "bell": {
          "type": "boolean",
          "description": "Notes struck like a bell. Needs notes."
        },
        "volume": {
          "type": "number",
          "minimum": 0,
          "maximum": 100,
          "description": "Speaker volume, 0..100, applied first; stays."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "ask",
    "summary": "Ask the person at the robot a question and wait for the tap on an answer.",
    "description": "Shows the question big and the answers as buttons. The call is held open until the tap, the time-out, a newer ask, menu or clickmap, or a stop; the answer always has the same keys, null where there was no tap.",
    "waits": true,
    "args": {
      "type": "object",
      "required": [
        "question",
        "answers"
      ],
      "properties": {
        "question": {
          "type": "string",
          "minLength": 1,
          "description": "Short."
        },
        "answers": {
          "type": "array",
          "items": {
            "type": "string",
            "minLength": 1
          },
          "minItems": 2,
          "maxItems": 4,
          "description": "2 to 4 short answers."
        },
        "timeout_s": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 120,
          "default": 30,
          "description": "Seconds to wait, counted from when the person sees it; default 30, at most 120."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "menu",
    "summary": "Show tiles to choose from and wait for the tap on one.",
    "description": "An item is a label, or an object with label, image or both, and perhaps an id. The call is held open until the tap, the time-out, a newer ask, menu or clickmap, or a stop; the answer always has the same keys, null where there was no tap.",
    "waits": true,
    "args": {
      "type": "object",
      "required": [
        "items"
      ],
      "properties": {
        "items": {
          "type": "array",
          "items": {
            "anyOf": [
              {
                "type": "string",
                "minLength": 1,
                "description": "The label."
              },
              {
                "type": "object",
                "properties": {
                  "id": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Comes back as item. Ids may repeat: index tells which."
                  },
                  "label": {
                    "type": "string",
                    "minLength": 1
                  },
                  "image": {
                    "type": "string",
                    "contentEncoding": "base64",
                    "description": "Shown above the label. JPEG or PNG in base64, at most 1,600,000 characters and 4096 pixels a side. A data: prefix and white space are set aside."
                  }
                },
                "additionalProperties": false
              }
            ]
          },
          "minItems": 2,
          "maxItems": 6,
          "description": "2 to 6 tiles."
        },
        "title": {
          "type": "string",
          "description": "Small text at the top."
        },
        "timeout_s": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 120,
          "default": 30,
          "description": "Seconds to wait, counted from when the person sees it; default 30, at most 120."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "clickmap",
    "summary": "Wait for the first tap inside one of the given regions of the screen.",
    "description": "With image the picture is shown first and stays; without it the regions lie over what the screen shows. The call is held open until the tap, the time-out, a newer ask, menu or clickmap, or a stop; the answer always has the same keys, null where there was no tap.",
    "waits": true,
    "args": {
      "type": "object",
      "required": [
        "regions"
      ],
      "properties": {
        "regions": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "id"
            ],
            "properties": {
              "id": {
                "type": "string",
                "minLength": 1,
                "description": "Comes back as `region` when the region is tapped. Ids may repeat: `index` tells which."
              },
              "rect": {
                "type": "array",
                "items": {
                  "type": "number"
                },
                "minItems": 4,
                "maxItems": 4,
                "description": "[x, y, w, h]; w and h above 0."
              },
              "circle": {
                "type": "array",
                "items": {
                  "type": "number"
                },
                "minItems": 3,
                "maxItems": 3,
                "description": "[x, y, r]; r above 0."
              },
              "polygon": {
                "type": "array",
                "items": {
                  "type": "array",
                  "items": {
                    "type": "number"
                  },
                  "minItems": 2,
                  "maxItems": 2
                },
                "minItems": 3,
                "maxItems": 32,
                "description": "[[x, y], ...], 3 to 32 points."
              }
            },
            "additionalProperties": false,
            "minProperties": 2,
            "maxProperties": 2,
            "description": "An id and exactly one of rect, circle and polygon, in screen pixels (320x240). Edges are inside; where regions overlap the first counts."
          },
          "minItems": 1,
          "maxItems": 32,
          "description": "1 to 32 regions; where they overlap, the first listed counts."
        },
        "image": {
          "type": "string",
          "contentEncoding": "base64",
          "description": "Shown first, fitted to 320x240. JPEG or PNG in base64, at most 1,600,000 characters and 4096 pixels a side. A data: prefix and white space are set aside."
        },
        "timeout_s": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 120,
          "default": 30,
          "description": "Seconds to wait, counted from when the person sees it; default 30, at most 120."
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "command",
    "summary": "Send one of the robot's own commands, such as sticker, brightness or ir_send.",
    "description": "Which commands a robot has, and their arguments, is in its state. Commands that switch the robot's apps, restart it, turn its streams on or touch its manager's settings are not passed on.",
    "waits": false,
    "args": {
      "type": "object",
      "required": [
        "command"
      ],
      "properties": {
        "command": {
          "type": "string",
          "minLength": 1,
          "maxLength": 64,
          "description": "A name out of the robot's commands."
        },
        "args": {
          "type": "object",
          "description": "The command's arguments.",
          "default": {}
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "state",
    "summary": "Read the robot's state: readings, what it shows, its commands and the last events.",
    "description": "Works while the robot is offline, with the readings it had last.",
    "waits": false,
    "args": {
      "type": "object",
      "properties": {}
    }
  },
  {
    "name": "events",
    "summary": "Read what people did at the robot, or wait for the next thing they do.",
    "description": "Feed last_seq of one answer into after of the next. first_seq above after + 1 means that events in between are missing: dropped because only the last ones are kept, for some time, or lost by the storage. An after above the highest number waits for greater numbers, as any other does. Unknown event names are refused.",
    "waits": false,
    "args": {
      "type": "object",
      "properties": {
        "after": {
          "type": "integer",
          "minimum": 0,
          "maximum": 9007199254740991,
          "default": 0,
          "description": "Only events with a seq above it; 0 (default): the last ones kept."
        },
        "names": {
          "type": "array",
          "items": {
            "type": "string",
            "enum": [
              "tap",
              "long_press",
              "pat",
              "pet",
              "stroke",
              "shaken",
              "picked_up",
              "near",
              "away",
              "tag",
              "tag_removed",
              "remote",
              "button",
              "plugged",
              "unplugged",
              "connected"
            ]
          },
          "description": "Only these event names; an empty list counts as absent."
        },
        "seconds": {
          "type": "number",
          "minimum": 0,
          "maximum": 60,
          "default": 0,
          "description": "Wait up to this long for a next event; default 0, at most 60."
        }
      }
    }
  },
  {
    "name": "stop",
    "summary": "End the wait, the sound, the LED effect and the head motion, in one call.",
    "description": "Takes no arguments. The ask, menu or clickmap that waits answers replaced to its caller and its question goes; the sound ends; the effect of the LEDs ends as by leds with effect off; the head goes home, whatever moved it. Cards, the face and the volume stay. When a part fails the others are ended all the same, and the call fails; it may be sent again.",
    "waits": false,
    "args": {
      "type": "object",
      "properties": {},
      "additionalProperties": false
    }
  },
  {
    "name": "scene",
    "summary": "Do up to 10 actions one after the other, in one call.",
    "description": "All are checked before the first is done: what is wrong with one, with its field such as actions[2].text, refuses all. Each is done when the one before it was confirmed by the robot. Where one fails, those behind it are not done, and the failure carries the results until then. An ask, menu or clickmap can only be the last: its call is held open for the tap. Costs one action of the bucket for each; all fit it or none is done.",
    "waits": false,
    "args": {
      "type": "object",
      "required": [
        "actions"
      ],
      "properties": {
        "actions": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "action"
            ],
            "properties": {
              "action": {
                "type": "string",
                "enum": [
                  "show",
                  "say",
                  "face",
                  "move",
                  "leds",
                  "sound",
                  "command",
                  "ask",
                  "menu",
                  "clickmap"
                ],
                "description": "Its name; ask, menu and clickmap only at the end."
              }
            },
            "additionalProperties": true,
            "description": "An action: its name, and beside it its arguments as the action of that name takes them."
          },
          "minItems": 1,
          "maxItems": 10,
          "description": "1 to 10 actions, done one after the other."
        }
      },
      "additionalProperties": false
    }
  }
];
