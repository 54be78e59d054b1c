/** Texts as servers answer them: Redis 6.2 (redisson issue 3897), 7.0 and 8.0 and Valkey 8.1 (server.c, script.c, replication.c, networking.c and their tests). */
import assert from 'node:assert/strict';
import { ReplyError } from 'ioredis';
import { asStoreError, StoreError } from '../src/redis/errors.js';
import { isNoMaster, refusalOf } from '../src/redis/refused.js';

const unreached = 'The service cannot reach its storage.';
const refused = "The service's storage refuses the call.";

describe('what Redis refuses', () => {
  for (const [message, reason, noMaster, fate] of [
    ["READONLY You can't write against a read only replica.", 'READONLY', true, 'not_done'],
    ["READONLY You can't write against a read only replica. script: 6f1a, on @user_script:1.", 'READONLY', true, 'not_done'],
    [
      "ERR Error running script (call to f_6f1a): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica.",
      'READONLY',
      true,
      'not_done',
    ],
    ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", 'other', true, 'not_done'],
    ['UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)', 'other', true, 'not_done'],
    [
      'ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated.',
      'other',
      true,
      'not_done',
    ],
    [
      'ERR WAITAOF cannot be used with replica instances. Please also note that writes to replicas are just local and are not propagated.',
      'other',
      true,
      'not_done',
    ],
    ['LOADING Redis is loading the dataset in memory', 'other', false, 'not_done'],
    ['NOREPLICAS Not enough good replicas to write.', 'NOREPLICAS', false, 'not_done'],
    ["MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.", 'MISCONF', false, 'not_done'],
    ['MISCONF Errors writing to the AOF file: No space left on device', 'MISCONF', false, 'not_done'],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'OOM', false, 'not_done'],
    ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', 'BUSY', false, 'not_done'],
    ["NOPERM this user has no permissions to run the 'waitaof' command", 'NOPERM', false, 'not_done'],
    ["NOPERM User perch has no permissions to run the 'waitaof' command", 'NOPERM', false, 'not_done'],
    ["ERR The user executing the script can't run this command or subcommand script: 6f1a, on @user_script:1.", 'NOPERM', false, 'unknown'],
    [
      "ERR ACL failure in script: User perch has no permissions to run the 'hset' command script: 6f1a, on @user_script:1.",
      'NOPERM',
      false,
      'unknown',
    ],
    ['ERR max number of clients reached', 'maxclients', false, 'not_done'],
    ['NOAUTH Authentication required.', 'other', false, 'not_done'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'other', false, 'not_done'],
    ['ERR EXEC without MULTI', null, false, 'unknown'],
    ['EXECABORT Transaction discarded because of previous errors.', null, false, 'not_done'],
    ['CLUSTERDOWN The cluster is down', 'other', false, 'not_done'],
  ] as const)
    it(message.slice(0, 70), () => {
      const error = new ReplyError(message);
      assert.deepEqual([refusalOf(error), isNoMaster(error)], [reason, noMaster]);
      const answered = asStoreError(error);
      assert.ok(answered instanceof StoreError, 'the caller is answered 503');
      assert.deepEqual([answered.kind, answered.fate, answered.refusal], ['unavailable', fate, reason]);
      assert.equal(answered.storageProblem, reason === null ? unreached : refused);
    });

  for (const message of [
    'MOVED 3999 127.0.0.1:6381',
    'NOSCRIPT No matching script.',
    'BUSYGROUP Consumer Group name already exists',
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    "ERR unknown command 'READONLYX', with args beginning with: ",
  ])
    it(`not: ${message.slice(0, 60)}`, () => assert.equal(refusalOf(new ReplyError(message)), null));
});
