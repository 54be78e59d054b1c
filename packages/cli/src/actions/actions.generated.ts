/** Generated from the schemas of the service by `pnpm run generate`; a test compares it. */
import type { ActionSchema } from './action-schema.js';

/** Copied here because loading the schemas' package takes longer than most calls. */
export const actions: readonly ActionSchema[] = [
  {
    "name": "show",
    "summary": "Show a card or a picture on the screen, or take it away.",
    "description": "Send at least one of text, title, note, icon, qr, sparkline, countdown, progress, background, image or clear; color, align, format, mono, overflow or lang alone show nothing, nor do a title and a note without a visible character. A new card replaces the last one. With image, background fills the area around the picture; all other arguments are then ignored, and the response lists them in \"ignored\". qr cannot be combined with sparkline, countdown or progress, countdown not with sparkline, mono and pages not with Markdown, pages not with countdown. clear must be sent alone. While a question is showing, the card beneath it changes. With queue the response is sent at once, with the place in the queue; the card is drawn when its turn comes.",
    "waits": false,
    "args": {
      "type": "object",
      "properties": {
        "text": {
          "type": "string",
          "examples": [
            "21 °C"
          ],
          "description": "Big text in the middle; sizes itself. Needs a visible character.",
          "x-rank": 1
        },
        "title": {
          "type": "string",
          "examples": [
            "Outside"
          ],
          "description": "Small text at the top, in the colour.",
          "x-rank": 2
        },
        "icon": {
          "type": "string",
          "x-picker": "icon",
          "minLength": 1,
          "maxLength": 64,
          "description": "Shown above the text or at its left, in its colour. Names of Lucide icons, such as check, bell or cloud-sun; GET /v1/icons lists all.",
          "x-rank": 3
        },
        "image": {
          "type": "string",
          "x-picker": "picture",
          "contentMediaType": "image/*",
          "description": "Used instead of a card, fitted to 320x240. JPEG or PNG in base64, at most 1,600,000 characters and 4096 pixels a side; an https address of one of at most 2 MB; or the id of an uploaded one (POST /v1/pictures). A data: prefix and white space are ignored.",
          "x-rank": 4
        },
        "note": {
          "type": "string",
          "examples": [
            "Sunny until six"
          ],
          "description": "Small text at the bottom.",
          "x-group": "Card"
        },
        "color": {
          "type": "string",
          "x-picker": "color",
          "pattern": "^(#[0-9a-fA-F]{6}|red|orange|yellow|green|cyan|blue|purple|pink|white)$",
          "description": "Colour of text, title, icon, line and bar; default white text, blue title. #rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white.",
          "x-group": "Card"
        },
        "background": {
          "type": "string",
          "x-picker": "color",
          "pattern": "^(#[0-9a-fA-F]{6}|red|orange|yellow|green|cyan|blue|purple|pink|white)$",
          "description": "Default dark blue. #rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white.",
          "x-group": "Card"
        },
        "progress": {
          "type": "number",
          "minimum": 0,
          "maximum": 1,
          "description": "Progress bar, 0..1.",
          "x-group": "Card"
        },
        "countdown": {
          "type": "object",
          "properties": {
            "seconds": {
              "type": "integer",
              "minimum": 1,
              "maximum": 86400,
              "description": "How long it counts, from when it is shown, 1 to 86400 s."
            },
            "until": {
              "type": "string",
              "format": "date-time",
              "description": "In place of seconds: when it ends, at most a day ahead, such as 2026-12-31T23:59:00+01:00. A time that has passed shows the end."
            },
            "done": {
              "type": "string",
              "description": "Text that replaces it at its end, with a visible character; default 0:00."
            }
          },
          "additionalProperties": false,
          "description": "Time left, drawn large, as 4:59 or 1:02:03, until seconds have passed or a time is reached. The service draws it anew each second while the card shows; over an hour every 10 s.",
          "x-group": "Card"
        },
        "sparkline": {
          "type": "array",
          "items": {
            "anyOf": [
              {
                "type": "number"
              },
              {
                "type": "null"
              }
            ]
          },
          "examples": [
            [
              310,
              420,
              null,
              380,
              960,
              1240
            ]
          ],
          "minItems": 2,
          "maxItems": 300,
          "description": "2 to 300 numbers, drawn as a line below the text, from the lowest at its bottom to the highest at its top; null leaves a gap.",
          "x-group": "Card"
        },
        "qr": {
          "type": "string",
          "examples": [
            "https://example.org"
          ],
          "minLength": 1,
          "maxLength": 331,
          "description": "Text or address of a QR code, black on white: at most 331 bytes alone, 106 with title, text, note or icon. A text stands beside it.",
          "x-group": "Card"
        },
        "align": {
          "type": "string",
          "enum": [
            "left",
            "center",
            "right"
          ],
          "description": "Side to which the lines of text, title and note are aligned; default center, and the start of the line for text in the monospace font or in Markdown.",
          "x-group": "Text"
        },
        "format": {
          "type": "string",
          "enum": [
            "plain",
            "markdown"
          ],
          "description": "How text is written; default plain. markdown: bold, lists, code and tables of up to five rows are drawn; of anything else, such as links, its text.",
          "x-group": "Text"
        },
        "mono": {
          "type": "boolean",
          "description": "Text in a monospace font, with its spaces kept. false counts as absent.",
          "x-group": "Text"
        },
        "overflow": {
          "type": "string",
          "enum": [
            "cut",
            "pages"
          ],
          "description": "What happens to a text that does not fit; default cut, with an ellipsis. pages: the service turns up to 10 pages, each for 3 to 12 s by its length, from the first one again, until another card or picture is shown or the card is taken away.",
          "x-group": "Text"
        },
        "lang": {
          "type": "string",
          "x-picker": "language",
          "pattern": "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
          "maxLength": 35,
          "description": "Language of the texts, BCP 47, such as ja or zh-Hant. Chooses the shapes of Chinese characters; without it, kana mean Japanese and hangul Korean.",
          "x-group": "Text"
        },
        "queue": {
          "type": "boolean",
          "description": "Show it when what waits at the robot is over, instead of replacing it: questions, and what is in its queue, of at most 20. In quiet hours only priority 9 shows. A stop empties the queue. false counts as absent.",
          "x-group": "Queue"
        },
        "priority": {
          "type": "integer",
          "minimum": 0,
          "maximum": 9,
          "description": "With queue: higher ones first, equal ones in the order of their calls; default 0. 9 shows in quiet hours, too. It does not replace what shows.",
          "x-group": "Queue"
        },
        "expires_s": {
          "type": "number",
          "minimum": 1,
          "maximum": 86400,
          "description": "With queue: seconds after which it is dropped if its turn has not come; default 120, and the most for a question without detach.",
          "x-group": "Queue"
        },
        "for_s": {
          "type": "number",
          "minimum": 1,
          "maximum": 600,
          "description": "With queue: seconds before the next of the queue may show; default 10. Without a next one, the card stays as any other.",
          "x-group": "Queue"
        },
        "clear": {
          "type": "boolean",
          "description": "Take the card or picture away. false counts as absent.",
          "x-group": "Take away"
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "say",
    "summary": "Let the face say something in a speech bubble.",
    "description": "Requires the face: while a card or picture is showing, send show with clear first. While a card or question covers the face, the response is 400 card_showing.",
    "waits": false,
    "args": {
      "type": "object",
      "required": [
        "text"
      ],
      "properties": {
        "text": {
          "type": "string",
          "examples": [
            "Good morning!"
          ],
          "minLength": 1,
          "maxLength": 80,
          "description": "At most 80 characters (Unicode code points), one of them visible.",
          "x-rank": 1
        },
        "seconds": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 30,
          "default": 6,
          "description": "Duration in seconds; default 6, at most 30.",
          "x-rank": 2
        },
        "lang": {
          "type": "string",
          "x-picker": "language",
          "pattern": "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
          "maxLength": 35,
          "description": "Language of the texts, BCP 47, such as ja or zh-Hant. Chooses the shapes of Chinese characters; without it, kana mean Japanese and hangul Korean.",
          "x-group": "Text"
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
          "description": "Face emotion.",
          "x-rank": 1
        },
        "view": {
          "type": "string",
          "enum": [
            "face",
            "readings"
          ],
          "description": "The robot's own screen under cards: its face or its readings.",
          "x-rank": 2
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "move",
    "summary": "Move the head: a gesture, or yaw and pitch in degrees.",
    "description": "Send gesture, or yaw and pitch (one or both). A gesture cannot be combined with angles.",
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
          "description": "home: face forward.",
          "x-rank": 1
        },
        "yaw": {
          "type": "number",
          "minimum": -128,
          "maximum": 128,
          "description": "Degrees, -128..128, positive to the robot's left.",
          "x-rank": 2
        },
        "pitch": {
          "type": "number",
          "description": "Degrees up, 5..85; the robot clamps the value.",
          "x-rank": 3
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "leds",
    "summary": "Light the 12 LEDs: one colour, a bar, single pixels, or an effect.",
    "description": "Send one of: color; bar (with or without color); pixels; effect (with or without color, speed, seconds); off. bar, pixels, effect and off exclude each other; pixels bring their own colours; effect off takes no color; seconds requires effect. brightness goes with all but off.",
    "waits": false,
    "args": {
      "type": "object",
      "properties": {
        "color": {
          "type": "string",
          "x-picker": "color",
          "pattern": "^(#[0-9a-fA-F]{6}|red|orange|yellow|green|cyan|blue|purple|pink|white)$",
          "description": "All LEDs, or the colour of the bar or effect. Default white. #rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white.",
          "x-rank": 1
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
          "description": "Animation run by the robot.",
          "x-rank": 2
        },
        "seconds": {
          "type": "number",
          "minimum": 0,
          "default": 0,
          "description": "Length of the effect. 0 (default): until the next leds action. Requires effect.",
          "x-rank": 3
        },
        "brightness": {
          "type": "number",
          "minimum": 0,
          "maximum": 1,
          "description": "0..1, default 1: how bright the colours look; at 0.5 half as bright. Requires color, bar, pixels or effect.",
          "x-rank": 4
        },
        "speed": {
          "type": "number",
          "minimum": 0.2,
          "maximum": 5,
          "default": 1,
          "description": "Effect speed, 0.2..5, default 1. Ignored without an effect.",
          "x-group": "Effect"
        },
        "bar": {
          "type": "number",
          "minimum": 0,
          "maximum": 1,
          "description": "0..1: lights this share of both strips, from the screen end.",
          "x-group": "Bar"
        },
        "pixels": {
          "type": "array",
          "items": {
            "type": "string",
            "x-picker": "color",
            "pattern": "^(#[0-9a-fA-F]{6}|red|orange|yellow|green|cyan|blue|purple|pink|white)$",
            "description": "#rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white."
          },
          "minItems": 12,
          "maxItems": 12,
          "description": "12 colours: 0-5 the left strip from the screen end back, 6-11 the right strip from the back to the screen end.",
          "x-group": "Single LEDs"
        },
        "off": {
          "type": "boolean",
          "description": "All off; sent alone. false counts as absent.",
          "x-group": "Off"
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "sound",
    "summary": "Play a chime or a melody, or set the volume.",
    "description": "Send chime or notes, with or without volume, or volume alone; chime and notes exclude each other, and bell requires notes. The response is sent as soon as the sound starts and says how long it plays. A second sound replaces the one that is playing. In the quiet hours of the robot, nothing is played and silenced says so; volume is at most the volume_max of the robot (robot_state shows both).",
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
          "x-picker": "chime",
          "description": "Ready-made sound.",
          "x-rank": 1
        },
        "volume": {
          "type": "number",
          "minimum": 0,
          "maximum": 100,
          "description": "Speaker volume, 0..100; applied first and kept.",
          "x-rank": 2
        },
        "notes": {
          "type": "string",
          "examples": [
            "C4:200 E4:200 -:100 G4:400"
          ],
          "minLength": 1,
          "description": "Melody: <note>:<ms> entries separated by spaces, 30 s in total. A note is a letter A to G, an optional # or b and an octave 0..8 (C4 is middle C), or - for a rest: \"C4:200 E4:200 -:100 G4:400\". Or a tune in RTTTL, the text format of ring tones: \"Scale:d=8,o=4,b=120:c,d,e,f,g,a,b,2c5\".",
          "x-rank": 3
        },
        "bell": {
          "type": "boolean",
          "description": "Play the notes like a struck bell. Requires notes.",
          "x-rank": 4
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "ask",
    "summary": "Ask the person at the robot a question and wait for the tap on an answer.",
    "description": "Shows the question in large text and the answers as buttons. The request stays open until the tap, the time-out, a newer ask, menu or clickmap, or a stop, unless detach is sent. The response always has the same fields; they are null if there was no tap.",
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
          "examples": [
            "Tea or coffee?"
          ],
          "description": "Short, with a visible character.",
          "x-rank": 1
        },
        "answers": {
          "type": "array",
          "items": {
            "type": "string",
            "minLength": 1
          },
          "examples": [
            [
              "Tea",
              "Coffee"
            ]
          ],
          "minItems": 2,
          "maxItems": 4,
          "description": "2 to 4 short answers, each with a visible character.",
          "x-rank": 2
        },
        "timeout_s": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 86400,
          "default": 30,
          "description": "Seconds to wait, counted from when the person can answer; default 30, at most 120; with detach, at most 86400. With whole and overflow pages the default is 30 from when the last page comes, at most 120 in all; not in a scene with at_ms.",
          "x-rank": 3
        },
        "icons": {
          "type": "array",
          "items": {
            "type": "string",
            "x-picker": "icon",
            "maxLength": 64
          },
          "maxItems": 4,
          "description": "Icons of the answers, in their order; an empty string for an answer without one. Names of Lucide icons, such as check, bell or cloud-sun; GET /v1/icons lists all.",
          "x-rank": 4
        },
        "overflow": {
          "type": "string",
          "enum": [
            "cut",
            "pages"
          ],
          "description": "What happens to a question that does not fit; default cut, with an ellipsis. pages: the service turns up to 10 pages, each for 3 to 12 s by its length, from the first one again; the answers stand on each, and a tap on any page counts; with whole only after the last one, up to which the answers are grey, and a tap beside them turns the page.",
          "x-group": "Text"
        },
        "whole": {
          "type": "boolean",
          "description": "Refuse, with 400 not_whole, instead of showing a question or answer that is cut (a question on pages is not, unless they are too few, or timeout_s leaves less than 10 s after the last one comes) or has a character that no font of the service has, or that a person cannot see. false counts as absent.",
          "x-group": "Text"
        },
        "lang": {
          "type": "string",
          "x-picker": "language",
          "pattern": "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
          "maxLength": 35,
          "description": "Language of the texts, BCP 47, such as ja or zh-Hant. Chooses the shapes of Chinese characters; without it, kana mean Japanese and hangul Korean.",
          "x-group": "Text"
        },
        "deny": {
          "type": "integer",
          "minimum": 0,
          "maximum": 3,
          "description": "Index of the answer that allows nothing: a tap on it counts after 350 ms whatever is asked, while whole has the others wait for 1 s.",
          "x-group": "Answers"
        },
        "detach": {
          "type": "boolean",
          "description": "Answer at once, with outcome pending and its wait, which GET /v1/waits/{wait} and robot_answer read for 60 min after its end; the end is also the event answered.",
          "x-group": "Answers"
        },
        "queue": {
          "type": "boolean",
          "description": "Show it when what waits at the robot is over, instead of replacing it: questions, and what is in its queue, of at most 20. In quiet hours only priority 9 shows. A stop empties the queue. false counts as absent.",
          "x-group": "Queue"
        },
        "priority": {
          "type": "integer",
          "minimum": 0,
          "maximum": 9,
          "description": "With queue: higher ones first, equal ones in the order of their calls; default 0. 9 shows in quiet hours, too. It does not replace what shows.",
          "x-group": "Queue"
        },
        "expires_s": {
          "type": "number",
          "minimum": 1,
          "maximum": 86400,
          "description": "With queue: seconds after which it is dropped if its turn has not come; default 120, and the most for a question without detach.",
          "x-group": "Queue"
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "menu",
    "summary": "Show tiles to choose from and wait for the tap on one.",
    "description": "An item is a label, or an object with a label, an image or an icon, or a label and one of these, and optionally an id. The request stays open until the tap, the time-out, a newer ask, menu or clickmap, or a stop, unless detach is sent. The response always has the same fields; they are null if there was no tap.",
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
                "description": "The label, with a visible character."
              },
              {
                "type": "object",
                "properties": {
                  "id": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Returned as item. Ids may repeat; index identifies the tile."
                  },
                  "label": {
                    "type": "string",
                    "minLength": 1,
                    "description": "With a visible character."
                  },
                  "image": {
                    "type": "string",
                    "x-picker": "picture",
                    "contentMediaType": "image/*",
                    "description": "Shown above the label. JPEG or PNG in base64, at most 1,600,000 characters and 4096 pixels a side; an https address of one of at most 2 MB; or the id of an uploaded one (POST /v1/pictures). A data: prefix and white space are ignored."
                  },
                  "icon": {
                    "type": "string",
                    "x-picker": "icon",
                    "minLength": 1,
                    "maxLength": 64,
                    "description": "Shown above the label, in place of an image. Names of Lucide icons, such as check, bell or cloud-sun; GET /v1/icons lists all."
                  }
                },
                "additionalProperties": false
              }
            ]
          },
          "minItems": 2,
          "maxItems": 6,
          "description": "2 to 6 tiles.",
          "x-rank": 1
        },
        "title": {
          "type": "string",
          "examples": [
            "Lunch"
          ],
          "description": "Small text at the top.",
          "x-rank": 2
        },
        "timeout_s": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 86400,
          "default": 30,
          "description": "Seconds to wait, counted from when the person can answer; default 30, at most 120; with detach, at most 86400.",
          "x-rank": 3
        },
        "lang": {
          "type": "string",
          "x-picker": "language",
          "pattern": "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
          "maxLength": 35,
          "description": "Language of the texts, BCP 47, such as ja or zh-Hant. Chooses the shapes of Chinese characters; without it, kana mean Japanese and hangul Korean.",
          "x-group": "Text"
        },
        "detach": {
          "type": "boolean",
          "description": "Answer at once, with outcome pending and its wait, which GET /v1/waits/{wait} and robot_answer read for 60 min after its end; the end is also the event answered.",
          "x-group": "Answer"
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "clickmap",
    "summary": "Wait for the first tap inside one of the given regions of the screen.",
    "description": "With image, the picture is shown first and stays on the screen. Without it, the regions apply to whatever the screen shows. The request stays open until the tap, the time-out, a newer ask, menu or clickmap, or a stop, unless detach is sent. The response always has the same fields; they are null if there was no tap.",
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
                "description": "Returned as `region` when the region is tapped. Ids may repeat; `index` identifies the region."
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
            "description": "An id and exactly one of rect, circle and polygon, in screen pixels (320x240). A rect has its left and top edge, not the right and bottom one; other edges count as inside. Where regions overlap, the first listed counts."
          },
          "minItems": 1,
          "maxItems": 32,
          "description": "1 to 32 regions. Where regions overlap, the first listed counts.",
          "x-rank": 1
        },
        "image": {
          "type": "string",
          "x-picker": "picture",
          "contentMediaType": "image/*",
          "description": "Shown first, fitted to 320x240. JPEG or PNG in base64, at most 1,600,000 characters and 4096 pixels a side; an https address of one of at most 2 MB; or the id of an uploaded one (POST /v1/pictures). A data: prefix and white space are ignored.",
          "x-rank": 2
        },
        "timeout_s": {
          "type": "number",
          "exclusiveMinimum": 0,
          "maximum": 86400,
          "default": 30,
          "description": "Seconds to wait, counted from when the person can answer; default 30, at most 120; with detach, at most 86400.",
          "x-rank": 3
        },
        "detach": {
          "type": "boolean",
          "description": "Answer at once, with outcome pending and its wait, which GET /v1/waits/{wait} and robot_answer read for 60 min after its end; the end is also the event answered.",
          "x-group": "Answer"
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "command",
    "summary": "Send one of the robot's own commands, such as sticker, brightness or ir_send.",
    "description": "The robot's state lists its commands and their arguments. Commands that switch the robot's apps, restart it, turn its streams on or change its manager's settings are not passed on.",
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
          "examples": [
            "brightness"
          ],
          "description": "Name of one of the robot's commands.",
          "x-rank": 1
        },
        "args": {
          "type": "object",
          "description": "The command's arguments; default {}.",
          "default": {},
          "examples": [
            {
              "pct": 60
            }
          ],
          "x-rank": 2
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "state",
    "summary": "Read the robot's state: readings, what it shows, its commands and the last events.",
    "description": "Also works while the robot is offline, with its last readings.",
    "waits": false,
    "args": {
      "type": "object",
      "properties": {}
    }
  },
  {
    "name": "events",
    "summary": "Read what people did at the robot, or wait for the next event.",
    "description": "Pass last_seq of one response as after of the next call. If first_seq is above after + 1, the events in between are missing: they expired, exceeded the number of events kept, or were lost by the storage. An after above the highest number waits for a higher number. Unknown event names are rejected.",
    "waits": false,
    "args": {
      "type": "object",
      "properties": {
        "after": {
          "type": "integer",
          "minimum": 0,
          "maximum": 9007199254740991,
          "default": 0,
          "description": "Only events with a higher seq. Default 0: the last ones kept.",
          "x-rank": 1
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
              "connected",
              "answered"
            ]
          },
          "description": "Only events with these names. An empty list counts as absent.",
          "x-rank": 2
        },
        "seconds": {
          "type": "number",
          "minimum": 0,
          "maximum": 60,
          "default": 0,
          "description": "Wait up to this many seconds for the next event; default 0, at most 60.",
          "x-rank": 3
        }
      }
    }
  },
  {
    "name": "speak",
    "summary": "Speak a text aloud.",
    "description": "The robot speaks the text, and its face shows it in a speech bubble; truncated, missing and adjusted concern the bubble alone. While a card or question covers the face, the robot speaks without the bubble, and caption_left_out says so. The response is sent as soon as the robot speaks. A later sound or speech replaces it; stop ends it. In the quiet hours of the robot, only the bubble is shown and silenced says so. 501 not_offered if the service has no speech engine.",
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
          "maxLength": 300,
          "examples": [
            "Your tea is ready."
          ],
          "description": "At most 300 characters (Unicode code points).",
          "x-rank": 1
        },
        "lang": {
          "type": "string",
          "x-picker": "language",
          "pattern": "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
          "maxLength": 35,
          "description": "Language of the text, BCP 47, such as de or en-GB: chooses a voice.",
          "x-rank": 2
        },
        "voice": {
          "type": "string",
          "pattern": "^[A-Za-z0-9][A-Za-z0-9_.+-]{0,63}$",
          "description": "Name of a voice of the service; an unknown one is refused with the names of some. Wins over lang.",
          "x-rank": 3
        },
        "volume": {
          "type": "number",
          "minimum": 0,
          "maximum": 100,
          "description": "Speaker volume, 0..100; applied first and kept.",
          "x-rank": 4
        }
      },
      "additionalProperties": false
    }
  },
  {
    "name": "stop",
    "summary": "End the wait, the sound, the LED effect and the head motion, in one call.",
    "description": "Takes no arguments. A pending ask, menu or clickmap returns replaced to its caller and its question disappears; the sound ends; the LED effect ends as with leds and effect off; the head moves to its home position, whatever moved it. Cards, the face and the volume stay. If one part fails, the others are stopped anyway and the call fails; it can be retried.",
    "waits": false,
    "args": {
      "type": "object",
      "properties": {},
      "additionalProperties": false
    }
  },
  {
    "name": "scene",
    "summary": "Run up to 10 actions in order, in one call.",
    "description": "All actions are checked before the first one runs: one wrong argument, named by a field such as actions[2].text, rejects the whole scene. Each action starts when the robot has confirmed the ones before it; one with at_ms starts at its time, beside those that still run. If one fails, those that have not started do not run, and the failure contains the results so far. An ask, menu or clickmap can only be the last action: the request stays open until the tap. Each action counts against the rate limit; if the limit cannot cover all of them, none runs.",
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
                  "speak",
                  "command",
                  "ask",
                  "menu",
                  "clickmap"
                ],
                "description": "Name of the action. ask, menu and clickmap only as the last one."
              },
              "at_ms": {
                "type": "integer",
                "minimum": 0,
                "maximum": 30000,
                "description": "When the action starts: milliseconds after the pictures and sounds of the whole scene were made. Actions with the same at_ms start together. The timeout_s of a question at the end and the last at_ms are at most 120 s together."
              }
            },
            "additionalProperties": true,
            "description": "An action: its name, and its arguments as properties of the same object."
          },
          "minItems": 1,
          "maxItems": 10,
          "description": "1 to 10 actions, run in order.",
          "x-rank": 1
        }
      },
      "additionalProperties": false
    }
  }
];
