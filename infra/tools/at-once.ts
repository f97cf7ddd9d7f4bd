/**
 * `node at-once.ts <command> ...`: runs shell commands at the same time. Each prints what it wrote when it ends. Exits
 * with 1 if one of them fails.
 */
import { exec } from 'node:child_process'

const ENOUGH_BYTES = 64 * 1024 * 1024

/** @returns whether the command succeeded */
const run = (command: string): Promise<boolean> =>
  new Promise((resolve) => {
    exec(command, { maxBuffer: ENOUGH_BYTES }, (error, stdout, stderr) => {
      process.stdout.write(stdout)
      process.stderr.write(stderr)
      if (error !== null) process.stderr.write(`failed: ${command}\n`)
      resolve(error === null)
    })
  })

const succeeded = await Promise.all(process.argv.slice(2).map(run))
process.exitCode = succeeded.every(Boolean) ? 0 : 1
