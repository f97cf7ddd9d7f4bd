/**
 * Passes every row to the rooms that read them. A function that serves such a room imports this module before any
 * other. It loads only the rows, which are small.
 */
import { fillRooms } from './base/room.ts'
import { CLOUDS } from './clouds/all.ts'
import { PROTOCOLS } from './endpoints/all.ts'
import { roomsWith } from './rooms.ts'

fillRooms(roomsWith(CLOUDS, PROTOCOLS))
