/**
 * Hands every row to the rooms that read them. A function imports this module before any other when a room that it serves
 * reads rows. It loads only the rows, which are light.
 */
import { fillRooms } from './base/room.ts'
import { CLOUDS } from './clouds/all.ts'
import { PROTOCOLS } from './endpoints/all.ts'
import { roomsWith } from './rooms.ts'

fillRooms(roomsWith(CLOUDS, PROTOCOLS))
